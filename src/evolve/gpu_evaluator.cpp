#include "evolve/gpu_evaluator.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/parallel.h"
#include "evolve/members.h"

namespace cuco::evolve {

namespace {

constexpr const char* kGpuVerdict = "gpu";

// Lengths before texts: no two jobs have the same form.
std::string framed(const gpu::Job& job) {
  std::string text =
      concat(job.iterations, job.bound_below_us > 0 ? concat(" bound below ", job.bound_below_us) : "", "\n");
  for (const auto& [name, value] : job.variables) text += concat(name.size(), " ", value.size(), "\n", name, value);
  for (const SourceFile& file : job.files)
    text += concat(file.name.size(), " ", file.text.size(), "\n", file.name, file.text);
  return text;
}

bool is_timed(const evaluate::Verdict& verdict) { return verdict.passed() && verdict.timing.has_value(); }

// A GPU does not tell where its time goes; the virtual clock's shares of it stand in.
evaluate::CriticalPath shares_of(const evaluate::Timing& predicted, double measured_us) {
  double factor = predicted.median_us > 0 ? measured_us / predicted.median_us : 0;
  const evaluate::CriticalPath& path = predicted.path;
  return {factor * path.compute_us, factor * path.copy_us, factor * path.exposed_communication_us,
          factor * path.launch_us, factor * path.wait_us};
}

bool is_same_question(const Task& a, const Task& b) {
  return a.depth == b.depth && a.parent == b.parent && a.candidate->files == b.candidate->files;
}

void compare_with(const Against& against, evaluate::Verdict& measured) {
  measured.baseline_us = against.baseline_us;
  if (!measured.timing || against.bound_compute_us <= 0) return;
  double& bound_us = measured.timing->bound_compute_us;
  bound_us = bound_us > 0 ? std::min(bound_us, against.bound_compute_us) : against.bound_compute_us;
}

// What both machines said.
evaluate::Verdict joined(const Task& task, const evaluate::Verdict& checked, evaluate::Verdict measured) {
  measured.schedules_run = checked.schedules_run;
  measured.predicted_us = checked.timing->median_us;
  if (measured.timing) measured.timing->path = shares_of(*checked.timing, measured.timing->median_us);
  measured.baseline_us.reset();
  if (task.against) compare_with(*task.against, measured);
  measured.findings.insert(measured.findings.begin(), checked.findings.begin(), checked.findings.end());
  measured.notes.insert(measured.notes.end(), checked.notes.begin(), checked.notes.end());
  return measured;
}

evaluate::Verdict unpromising(evaluate::Verdict checked) {
  checked.predicted_us = checked.timing->median_us;
  checked.timing.reset();
  checked.baseline_us.reset();
  checked.reached = evaluate::Level::Verified;
  checked.notes.push_back("not run on a GPU: the virtual clock puts it in the slower half of its turn");
  return checked;
}

}  // namespace

gpu::Variables variables_of(const store::Candidate& candidate) {
  Result<space::Plan> plan = space::parse_plan(candidate.plan, "plan");
  if (!plan || plan->schedule.communication_ctas <= 1) return {};
  bool on_host = std::ranges::all_of(
      plan->choices, [](const space::SiteChoice& choice) { return choice.directive.backend == space::Backend::Host; });
  if (!on_host) return {};
  return {{"NCCL_MAX_CTAS", std::to_string(plan->schedule.communication_ctas)}};
}

GpuEvaluator::GpuEvaluator(GpuEvaluatorSetting setting, Evaluator& check, store::Log& log)
    : setting_(std::move(setting)), check_(check), log_(log) {}

gpu::Job GpuEvaluator::job_for(const Task& task) const {
  gpu::Job job;
  job.files = task.candidate->files;
  job.variables = variables_of(*task.candidate);
  job.iterations = task.depth == Depth::Full ? setting_.full_iterations : setting_.screen_iterations;
  job.bound_below_us = task.bound_below_us;
  return job;
}

std::string GpuEvaluator::key_of(const gpu::Job& job) const {
  return sha256(concat(setting_.setting, "\n", framed(job)));
}

std::optional<evaluate::Verdict> GpuEvaluator::known(const gpu::Job& job) const {
  std::optional<std::string> text = log_.find(kGpuVerdict, key_of(job));
  return text ? std::optional(evaluate::verdict_from_json(*text)) : std::nullopt;
}

std::vector<size_t> GpuEvaluator::promising(const std::vector<Task>& tasks, const Verdicts& checked) const {
  std::vector<size_t> chosen, others;
  for (size_t i = 0; i < tasks.size(); i++)
    if (is_timed(checked[i]))
      (tasks[i].depth == Depth::Full || tasks[i].candidate->generation == 0 ? chosen : others).push_back(i);
  std::ranges::stable_sort(others, {}, [&](size_t i) { return checked[i].timing->median_us; });
  others.resize((others.size() + 1) / 2);
  chosen.insert(chosen.end(), others.begin(), others.end());
  std::ranges::sort(chosen);
  return chosen;
}

Status GpuEvaluator::open_executor() {
  if (executor_) return Done{};
  Result<std::unique_ptr<gpu::JobExecutor>> opened = setting_.open();
  if (!opened) return opened.error();
  executor_ = *std::move(opened);
  return Done{};
}

// One text under several limits is one build.
Status GpuEvaluator::build_unknown(const std::vector<gpu::Job>& jobs) {
  std::vector<const gpu::Job*> unknown;
  for (const gpu::Job& job : jobs) {
    bool is_built = std::ranges::any_of(unknown, [&](const gpu::Job* other) { return other->files == job.files; });
    if (!is_built && !known(job)) unknown.push_back(&job);
  }
  if (unknown.empty() || setting_.from_log_alone) return Done{};
  if (Status opened = open_executor(); !opened) return opened;
  evaluate::run_in_order(static_cast<uint32_t>(unknown.size()), setting_.job_count, [&](uint32_t i) {
    executor_->build(*unknown[i]);
    return true;
  });
  return Done{};
}

Result<evaluate::Verdict> GpuEvaluator::measure(const gpu::Job& job, store::Id candidate) {
  if (std::optional<evaluate::Verdict> verdict = known(job)) return *verdict;
  if (setting_.from_log_alone)
    return Error{concat("the log has no times of a GPU for candidate ", candidate,
                        ": it is not whole, or this version of cuco proposes other programs")};
  if (setting_.on_level) setting_.on_level(candidate, "on the GPU");
  Result<evaluate::Verdict> verdict = executor_->run(job);
  if (!verdict) return verdict;
  verdict->executor = setting_.executor;
  if (Status kept = log_.append(kGpuVerdict, key_of(job), evaluate::to_json(*verdict)); !kept) return kept.error();
  // What the log gives later is what it gives at once: numbers may lose digits on their way through text.
  return *known(job);
}

// Baselines under several limits are one program to the virtual cluster.
Result<GpuEvaluator::Verdicts> GpuEvaluator::check_each(const std::vector<Task>& tasks) {
  std::vector<Task> asked;
  std::vector<size_t> answers;
  for (const Task& task : tasks) {
    auto known = std::ranges::find_if(asked, [&](const Task& other) { return is_same_question(task, other); });
    answers.push_back(static_cast<size_t>(known - asked.begin()));
    if (known != asked.end()) continue;
    asked.push_back(task);
    asked.back().best_us.reset();  // Of another clock.
  }
  Result<Verdicts> checked = check_.evaluate(asked);
  if (!checked) return checked;
  Verdicts all;
  for (size_t answer : answers) all.push_back((*checked)[answer]);
  return all;
}

Result<std::vector<evaluate::Verdict>> GpuEvaluator::evaluate(const std::vector<Task>& tasks) {
  Result<Verdicts> checked = check_each(tasks);
  if (!checked) return checked;
  std::vector<size_t> chosen = promising(tasks, *checked);
  std::vector<gpu::Job> jobs;
  for (size_t i : chosen) jobs.push_back(job_for(tasks[i]));
  if (Status built = build_unknown(jobs); !built) return built.error();
  Verdicts verdicts = *checked;
  for (evaluate::Verdict& verdict : verdicts)
    if (is_timed(verdict)) verdict = unpromising(std::move(verdict));
  for (size_t i = 0; i < chosen.size(); i++) {
    const Task& task = tasks[chosen[i]];
    Result<evaluate::Verdict> measured = measure(jobs[i], task.candidate->id);
    if (!measured) return measured.error();
    verdicts[chosen[i]] = joined(task, (*checked)[chosen[i]], *std::move(measured));
  }
  return verdicts;
}

}  // namespace cuco::evolve
