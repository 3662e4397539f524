// The evaluator of a real run: the cascade on the virtual cluster behind the run's log. A verdict that is in the log is
// never paid for again; one that is not is appended as soon as it is there, so that a run that is killed keeps it even
// when the other candidates of the turn were not through.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "evaluate/evaluate.h"
#include "evolve/evaluator.h"
#include "store/log.h"

namespace cuco::evolve {

constexpr uint32_t kScreenSeeds = 1;
constexpr uint32_t kFullSeeds = 16;

// Which candidate is at which level, for whoever watches. Called from any thread.
using OnLevel = std::function<void(store::Id candidate, const std::string& level)>;

struct VclusterSetting {
  evaluate::EvaluationRequest request;  // Baseline, configuration and tools; candidate and seeds come from the task.
  std::string setting;                  // What a verdict depends on besides the texts and the depth; part of the key.
  uint32_t job_count = 1;               // Processes at a time, over all candidates of a turn.
  bool from_log_alone = false;          // A verdict that is not in the log is an error: nothing is run.
  OnLevel on_level;
};

class VclusterEvaluator : public Evaluator {
 public:
  VclusterEvaluator(VclusterSetting setting, store::Log& log);
  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) override;

 private:
  evaluate::EvaluationRequest request_for(const Task& task, size_t task_count) const;
  std::string key_of(const Task& task) const;
  bool is_baseline(const Task& task) const;
  Result<evaluate::Verdict> judge(const Task& task, size_t task_count);

  VclusterSetting setting_;
  store::Log& log_;
};

}  // namespace cuco::evolve
