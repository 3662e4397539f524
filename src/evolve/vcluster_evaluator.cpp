#include "evolve/vcluster_evaluator.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/parallel.h"

namespace cuco::evolve {

namespace {

constexpr const char* kVerdict = "verdict";

// Lengths before texts: no two programs have the same form.
std::string framed(const std::vector<SourceFile>& files) {
  std::string text;
  for (const SourceFile& file : files)
    text += concat(file.name.size(), " ", file.text.size(), "\n", file.name, file.text);
  return text;
}

}  // namespace

VclusterEvaluator::VclusterEvaluator(VclusterSetting setting, store::Log& log)
    : setting_(std::move(setting)), log_(log) {}

evaluate::EvaluationRequest VclusterEvaluator::request_for(const Task& task, size_t task_count) const {
  evaluate::EvaluationRequest request = setting_.request;
  request.candidate = task.candidate->files;
  request.rewritten = task.parent == nullptr;
  request.parent = task.parent ? task.parent->files : request.candidate;
  bool closely = task.depth == Depth::Full;
  request.seed_count = closely ? kFullSeeds : kScreenSeeds;
  if (!closely && request.is_sampled()) request.compared_below_us = task.best_us;
  request.with_nvcc = request.with_nvcc && closely;
  request.job_count = std::max<uint32_t>(1, setting_.job_count / static_cast<uint32_t>(task_count));
  if (setting_.on_level)
    request.progress = [on_level = setting_.on_level, id = task.candidate->id](const std::string& level) {
      on_level(id, level);
    };
  return request;
}

// Neither the version of cuco nor a folder of this machine is part of it: a log answers for its run wherever it is.
std::string VclusterEvaluator::key_of(const Task& task) const {
  evaluate::EvaluationRequest request = request_for(task, 1);
  return sha256(concat(setting_.setting, "\n", task.depth == Depth::Full ? "full" : "screen", " ", request.rewritten,
                       " ", request.compared_below_us.value_or(0), "\n", framed(request.baseline),
                       framed(request.parent), framed(request.candidate)));
}

Result<evaluate::Verdict> VclusterEvaluator::judge(const Task& task, size_t task_count) {
  std::string key = key_of(task);
  if (std::optional<std::string> known = log_.find(kVerdict, key)) return evaluate::verdict_from_json(*known);
  if (setting_.from_log_alone)
    return Error{concat("the log has no verdict on candidate ", task.candidate->id,
                        ": it is not whole, or this version of cuco proposes other programs")};
  Result<evaluate::Verdict> verdict = evaluate::evaluate(request_for(task, task_count));
  if (!verdict) return verdict;
  if (Status kept = log_.append(kVerdict, key, evaluate::to_json(*verdict)); !kept) return kept.error();
  return verdict;
}

// Whatever is compared with the baseline needs its outputs, which its own evaluation leaves in the cache.
bool VclusterEvaluator::is_baseline(const Task& task) const {
  return framed(task.candidate->files) == framed(setting_.request.baseline);
}

Result<std::vector<evaluate::Verdict>> VclusterEvaluator::evaluate(const std::vector<Task>& tasks) {
  std::vector<std::optional<Result<evaluate::Verdict>>> results(tasks.size());
  if (!tasks.empty() && is_baseline(tasks[0])) results[0] = judge(tasks[0], 1);
  if (!results.empty() && results[0] && !results[0]->ok()) return results[0]->error();
  evaluate::run_in_order(static_cast<uint32_t>(tasks.size()), setting_.job_count, [&](uint32_t i) {
    if (!results[i]) results[i] = judge(tasks[i], tasks.size());
    return true;
  });
  std::vector<evaluate::Verdict> verdicts;
  for (std::optional<Result<evaluate::Verdict>>& result : results) {
    if (!result->ok()) return result->error();
    verdicts.push_back(std::move(**result));
  }
  return verdicts;
}

}  // namespace cuco::evolve
