// The evaluator of a run on real GPUs. Every candidate goes through the cascade on the virtual cluster first, at a size
// that fits there; of what passes, the promising are built side by side and run on the GPUs one after the other.
//
// Promising: baselines, fast paths and closer looks always; of the other candidates of a turn the better half by the
// virtual clock. The rest has passed, without a time, and a note says why.
//
// Verdicts of both machines are in the log by what they answer, each as soon as it is there: nothing is paid for twice,
// and the log alone gives the same verdicts where there is no GPU.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "evolve/evaluator.h"
#include "evolve/vcluster_evaluator.h"
#include "gpu/executor.h"
#include "store/log.h"

namespace cuco::evolve {

struct GpuEvaluatorSetting {
  std::string
      setting;  // What a verdict of the GPUs depends on besides text, variables and iterations; part of the key.
  std::string executor;
  uint32_t screen_iterations = 10, full_iterations = 30;
  uint32_t job_count = 1;  // Builds at a time.
  bool from_log_alone = false;
  // Locks the GPUs; asked when the first verdict is not in the log, and not again.
  std::function<Result<std::unique_ptr<gpu::JobExecutor>>()> open;
  OnLevel on_level;
};

class GpuEvaluator : public Evaluator {
 public:
  // `check` is the virtual cluster's part.
  GpuEvaluator(GpuEvaluatorSetting setting, Evaluator& check, store::Log& log);
  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) override;

 private:
  using Verdicts = std::vector<evaluate::Verdict>;

  Result<Verdicts> check_each(const std::vector<Task>& tasks);
  gpu::Job job_for(const Task& task) const;
  std::string key_of(const gpu::Job& job) const;
  std::optional<evaluate::Verdict> known(const gpu::Job& job) const;
  std::vector<size_t> promising(const std::vector<Task>& tasks, const Verdicts& checked) const;
  Status build_unknown(const std::vector<gpu::Job>& jobs);
  Status open_executor();
  Result<evaluate::Verdict> measure(const gpu::Job& job, store::Id candidate);

  GpuEvaluatorSetting setting_;
  Evaluator& check_;
  store::Log& log_;
  std::unique_ptr<gpu::JobExecutor> executor_;
};

// Which limit of NCCL's CTAs a plan asks for: one that leaves every site on the host and states a number.
gpu::Variables variables_of(const store::Candidate& candidate);

}  // namespace cuco::evolve
