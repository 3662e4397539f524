// Fakes of the GPUs for the tests of this folder: times follow from the text and the variables of a job.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "evolve/fixtures.h"
#include "evolve/gpu_evaluator.h"

namespace cuco::evolve {

inline evaluate::Verdict measured(double us, double spread_us) {
  evaluate::Verdict verdict = timed(us, 100);
  verdict.timing->least_us = us - spread_us;
  verdict.timing->most_us = us + spread_us;
  verdict.timing->spread_us = spread_us;
  verdict.gpu_seconds = 0.5;
  return verdict;
}

// What several executors of one test did, in order.
struct GpuHistory {
  std::vector<gpu::Job> runs;
  std::vector<std::string> builds;
  uint32_t opened = 0;
  std::mutex lock;
};

class FakeJobExecutor : public gpu::JobExecutor {
 public:
  using Time = std::function<Result<evaluate::Verdict>(const gpu::Job&)>;
  FakeJobExecutor(GpuHistory& history, Time time) : history_(history), time_(std::move(time)) {}

  void build(const gpu::Job& job) override {
    std::lock_guard<std::mutex> guard(history_.lock);
    history_.builds.push_back(job.files.front().text);
  }
  Result<evaluate::Verdict> run(const gpu::Job& job) override {
    Result<evaluate::Verdict> verdict = time_(job);
    if (verdict) history_.runs.push_back(job);
    return verdict;
  }

 private:
  GpuHistory& history_;
  Time time_;
};

inline GpuEvaluatorSetting gpu_setting(GpuHistory& history, FakeJobExecutor::Time time) {
  GpuEvaluatorSetting setting;
  setting.setting = "one fake GPU";
  setting.executor = "one-gpu";
  setting.open = [&history, time]() -> Result<std::unique_ptr<gpu::JobExecutor>> {
    history.opened++;
    return std::unique_ptr<gpu::JobExecutor>(std::make_unique<FakeJobExecutor>(history, time));
  };
  return setting;
}

}  // namespace cuco::evolve
