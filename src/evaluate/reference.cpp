#include "evaluate/reference.h"

#include <algorithm>
#include <sstream>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/input_key.h"
#include "evaluate/judge.h"
#include "evaluate/parallel.h"
#include "evaluate/plain.h"

namespace cuco::evaluate {

namespace {

std::string encode(const Capture& capture) {
  std::string bytes;
  for (const CapturedOutput& output : capture) bytes += vcluster::to_record(output);
  return bytes;
}

// 0 calls: as many as are usual for the run.
std::string outputs_name(const std::string& key, uint64_t seed, uint32_t calls) {
  return concat(key, "-", seed, calls > 0 ? concat("-", calls) : "");
}

std::optional<Capture> find_capture(const Cache& cache, const std::string& name) {
  std::optional<std::string> bytes = cache.find("outputs", name);
  if (!bytes) return std::nullopt;
  Result<Capture> capture = vcluster::parse_capture(*bytes, "cached outputs");
  if (!capture) return std::nullopt;
  return *capture;
}

std::optional<model::Traffic> find_traffic(const Cache& cache, const std::string& name) {
  std::optional<std::string> text = cache.find("traffic", name);
  if (!text) return std::nullopt;
  return model::traffic_from_json(*text);
}

std::optional<ReferenceRun> find_run(const Cache& cache, const std::string& name) {
  std::optional<Capture> capture = find_capture(cache, name);
  std::optional<model::Traffic> traffic = find_traffic(cache, name);
  if (!capture || !traffic) return std::nullopt;
  return ReferenceRun{*std::move(capture), *std::move(traffic)};
}

// Why inputs stayed the program's own, in a line, then what was changed of them.
void store_uploads(const Cache& cache, const std::string& key, uint64_t seed, const Reference& reference) {
  std::string text = reference.own_inputs + "\n";
  if (auto found = reference.perturbed.find(seed); found != reference.perturbed.end())
    for (const vcluster::Upload& upload : found->second) text += concat(upload.digest, " ", upload.element, "\n");
  cache.store("uploads", concat(key, "-", seed), text);
}

bool find_uploads(const Cache& cache, const std::string& key, uint64_t seed, Reference& reference) {
  std::optional<std::string> text = cache.find("uploads", concat(key, "-", seed));
  if (!text) return false;
  std::istringstream in(*text);
  std::getline(in, reference.own_inputs);
  vcluster::Upload upload;
  while (in >> upload.digest >> upload.element) reference.perturbed[seed].push_back(upload);
  return true;
}

std::optional<Timing> find_timing(const Cache& cache, const std::string& key) {
  std::optional<std::string> text = cache.find("times", key);
  return text ? verdict_from_json(*text).timing : std::nullopt;
}

void store_timing(const Cache& cache, const std::string& key, const Timing& timing) {
  Verdict verdict;
  verdict.timing = timing;
  cache.store("times", key, to_json(verdict));
}

struct TimedIteration {
  uint32_t iteration = 0;
  double longest_us = 0;
};

// Of the ranks' timed calls, the slowest rank of each iteration, in order of length.
std::vector<TimedIteration> by_length(const vcluster::RunReport& report) {
  std::map<uint32_t, double> longest;
  for (const vcluster::HarnessIteration& each : report.iterations)
    if (each.is_timed) longest[each.iteration] = std::max(longest[each.iteration], each.end_us - each.begin_us);
  std::vector<TimedIteration> sorted;
  for (const auto& [iteration, us] : longest) sorted.push_back({iteration, us});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TimedIteration& a, const TimedIteration& b) { return a.longest_us < b.longest_us; });
  return sorted;
}

void take_iterations(const vcluster::RunReport& report, Timing& timing) {
  std::vector<TimedIteration> sorted = by_length(report);
  if (sorted.empty()) return;
  const TimedIteration& median = sorted[sorted.size() / 2];
  timing.median_us = median.longest_us;
  timing.least_us = sorted.front().longest_us;
  timing.most_us = sorted.back().longest_us;
  timing.rank_us.clear();
  for (const vcluster::HarnessIteration& each : report.iterations)
    if (each.iteration == median.iteration) timing.rank_us.push_back(each.end_us - each.begin_us);
}

Finding level_finding(Level level, std::string kind, std::string text, uint64_t seed) {
  Finding finding;
  finding.level = level;
  finding.kind = std::move(kind);
  finding.text = std::move(text);
  finding.seed = seed;
  return finding;
}

}  // namespace

std::string digest_of(const std::vector<SourceFile>& files) {
  std::string all;
  for (const SourceFile& file : files) all += concat(file.name, "\n", sha256(normalised(file.text)), "\n");
  return sha256(all);
}

std::string run_key_of(const EvaluationRequest& request, uint64_t seed) {
  return run_key_of(request.input_key, digest_of(request.baseline), seed);
}

RunRequest timing_run(std::string run_key) {
  return {BuildKind::Timing, 0, std::move(run_key), kWarmups, kTimedIterations, true};
}

// The first seed takes every choice of the schedule as it comes, later ones are adverse.
RunRequest verifying_run(uint64_t seed, std::string run_key, BuildKind build) {
  return {build, build == BuildKind::Timing ? 0 : seed - 1, std::move(run_key), kWarmups, 1};
}

Result<SampledTime> time_by_sampling(ConfinedProgram& program, std::string run_key) {
  RunRequest run = timing_run(std::move(run_key));
  run.nudged = false;
  run.sample = true;
  Result<RunOutcome> outcome = program.run(run);
  if (!outcome) return outcome.error();
  SampledTime time{std::nullopt, findings_of(*outcome, Level::Timed, kTimingSeed), {}};
  if (has_error(time.findings)) return time;
  time.timing = timing_of(outcome->report);
  time.timing->sampled = true;
  for (const vcluster::BodyReport& body : outcome->report.bodies) time.notes.push_back(vcluster::describe(body));
  return time;
}

Timing timing_of(const vcluster::RunReport& report) {
  Timing timing;
  if (const vcluster::RankTiming* slowest = vcluster::slowest(report)) {
    timing.median_us = timing.least_us = timing.most_us = slowest->length_us();
    timing.path = {slowest->compute_us, slowest->copy_us, slowest->exposed_communication_us, slowest->launch_us,
                   slowest->wait_us};
  }
  for (const vcluster::RankTiming& rank : report.timings) timing.rank_us.push_back(rank.length_us());
  timing.bound_compute_us = report.bound_compute_us;
  timing.bound_communication_us = report.bound_communication_us;
  timing.bound_order_us = report.bound_order_us;
  take_iterations(report, timing);
  return timing;
}

Error baseline_error(const std::vector<Finding>& findings) {
  auto first =
      std::find_if(findings.begin(), findings.end(), [](const Finding& each) { return each.severity == "error"; });
  return Error{
      concat("the baseline does not pass, so there is nothing to compare with: ", first->kind, ": ", first->text)};
}

bool has_error(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& each) { return each.severity == "error"; });
}

std::vector<Finding> findings_of(const RunOutcome& outcome, Level level, uint64_t seed) {
  if (!outcome.stopped.empty())
    return {level_finding(level, "limit", concat("the run was ended: ", outcome.stopped), seed)};
  std::vector<Finding> findings;
  for (const vcluster::RunFinding& each : outcome.report.findings) {
    Finding finding = level_finding(level, each.kind, each.text, seed);
    finding.severity = each.severity;
    finding.rank = each.rank;
    findings.push_back(finding);
  }
  if (has_error(findings)) return findings;
  if (outcome.report.verdict != "ok")
    findings.push_back(level_finding(level, outcome.report.verdict, "the run did not come to its end", seed));
  else if (outcome.report.exit_code != 0)
    findings.push_back(
        level_finding(level, "exit_code", concat("the program ended with code ", outcome.report.exit_code), seed));
  return findings;
}

namespace {

struct MissingRun {
  uint64_t seed;
  RunRequest run;
};

// Fills in what the cache has and says which runs are needed for the rest.
std::vector<MissingRun> look_up(const EvaluationRequest& request, const std::string& key, Reference& reference) {
  std::vector<MissingRun> missing;
  for (uint32_t i = 0; i <= request.seed_count; i++) {
    bool is_timing = i == request.seed_count;
    uint64_t seed = is_timing ? kTimingSeed : request.first_seed + i;
    uint32_t calls = is_timing ? 0 : request.calls;
    std::optional<ReferenceRun> known = find_run(request.cache, outputs_name(key, seed, calls));
    bool complete = known && (!request.plain || find_uploads(request.cache, key, seed, reference));
    if (complete) reference.captures[seed] = std::move(known->capture), reference.traffic[seed] = known->traffic;
    if (is_timing) {
      reference.timing = find_timing(request.cache, key);
      complete = complete && reference.timing;
    }
    if (complete) continue;
    std::string key_of_run = run_key_of(request, seed);
    missing.push_back({seed, is_timing ? timing_run(key_of_run) : verifying_run(seed, key_of_run, BuildKind::Timing)});
    uint32_t least = request.calls > 0 ? request.calls : kVerifiedCalls;
    if (!is_timing) missing.back().run.loop = {least, least, request.calls == 0};
  }
  return missing;
}

// Kept under the name once it has passed.
Result<ReferenceRun> take_run(const Cache& cache, const std::string& name, uint64_t seed, RunOutcome& outcome) {
  std::vector<Finding> findings = findings_of(outcome, Level::Verified, seed);
  if (!has_error(findings)) findings = judge_baseline(outcome.capture);
  if (has_error(findings)) return baseline_error(findings);
  if (outcome.capture.empty()) return Error{"the baseline puts nothing out that could be compared"};
  cache.store("outputs", name, encode(outcome.capture));
  cache.store("traffic", name, model::to_json(outcome.report.traffic));
  return ReferenceRun{std::move(outcome.capture), outcome.report.traffic};
}

Status take(const EvaluationRequest& request, const std::string& key, uint64_t seed, RunOutcome& outcome,
            Reference& reference) {
  bool is_timing = seed == kTimingSeed;
  std::string name = outputs_name(key, seed, is_timing ? 0 : request.calls);
  Result<ReferenceRun> run = take_run(request.cache, name, seed, outcome);
  if (!run) return run.error();
  reference.captures[seed] = std::move(run->capture);
  reference.traffic[seed] = std::move(run->traffic);
  if (request.plain) store_uploads(request.cache, key, seed, reference);
  if (!is_timing) return Done{};
  reference.timing = timing_of(outcome.report);
  store_timing(request.cache, key, *reference.timing);
  return Done{};
}

}  // namespace

namespace {

Status build_baseline(ConfinedProgram& program) {
  if (program.is_built(BuildKind::Timing)) return Done{};
  if (Status built = program.build(BuildKind::Timing); !built)
    return Error{concat("the baseline does not build: ", built.error().message)};
  return Done{};
}

using Outcomes = std::vector<std::optional<Result<RunOutcome>>>;

std::vector<Finding> faults_of(const MissingRun& asked, const std::optional<Result<RunOutcome>>& outcome) {
  if (!outcome || !outcome->ok()) return {level_finding(Level::Verified, "fault", "it could not be run", asked.seed)};
  std::vector<Finding> findings = findings_of(**outcome, Level::Verified, asked.seed);
  std::erase_if(findings, [](const Finding& finding) { return finding.severity != "error"; });
  return findings.empty() ? judge_baseline((*outcome)->capture) : findings;
}

Outcomes run_all(const EvaluationRequest& request, const std::vector<MissingRun>& missing,
                 const ConfinedProgram& program) {
  Outcomes outcomes(missing.size());
  run_in_order(static_cast<uint32_t>(missing.size()), request.job_count, [&](uint32_t i) {
    outcomes[i] = program.run(missing[i].run);
    return outcomes[i]->ok() && !has_error(findings_of(**outcomes[i], Level::Verified, missing[i].seed));
  });
  return outcomes;
}

// The first fault of the runs, as a reason; empty when all passed.
std::string first_fault(const std::vector<MissingRun>& missing, const Outcomes& outcomes) {
  for (size_t i = 0; i < missing.size(); i++)
    if (std::vector<Finding> faults = faults_of(missing[i], outcomes[i]); !faults.empty())
      return concat(faults[0].kind, ": ", faults[0].text);
  return "";
}

void describe(Outcomes& outcomes, const model::Program& analysed) {
  for (std::optional<Result<RunOutcome>>& outcome : outcomes)
    if (outcome && outcome->ok()) describe_baseline((*outcome)->capture, analysed);
}

// Runs that passed are made again with other inputs; where these pass too, they are the oracle.
void perturb(const EvaluationRequest& request, const ConfinedProgram& program, const model::Program& analysed,
             std::vector<MissingRun> missing, Outcomes& outcomes, Reference& reference) {
  for (const MissingRun& run : missing) reference.perturbed.erase(run.seed);
  if (!first_fault(missing, outcomes).empty()) return;
  bool any = false;
  for (size_t i = 0; i < missing.size(); i++) {
    missing[i].run.perturbed = floating_uploads((*outcomes[i])->report, analysed);
    any = any || !missing[i].run.perturbed.empty();
  }
  reference.own_inputs = any ? "" : "it copies no floating-point data to a device before its region";
  if (!any) return;
  Outcomes changed = run_all(request, missing, program);
  describe(changed, analysed);
  std::string fault = first_fault(missing, changed);
  if (!fault.empty()) {
    reference.own_inputs = concat("with others it does not pass itself: ", split(fault, '\n')[0]);
    return;
  }
  outcomes = std::move(changed);
  for (const MissingRun& run : missing) reference.perturbed[run.seed] = run.run.perturbed;
}

// The analysis says what the bytes are that a program without the harness takes in and puts out.
Status perturb_and_describe(const EvaluationRequest& request, const ConfinedProgram& program,
                            const std::vector<MissingRun>& missing, Outcomes& outcomes, Reference& reference) {
  Result<model::Program> analysed = program.analyse();
  if (!analysed) return analysed.error();
  perturb(request, program, *analysed, missing, outcomes, reference);
  describe(outcomes, *analysed);
  return Done{};
}

}  // namespace

Result<Reference> find_reference(const EvaluationRequest& request, const std::string& key, ConfinedProgram& program) {
  Reference reference;
  std::vector<MissingRun> missing = look_up(request, key, reference);
  if (missing.empty()) return reference;
  if (Status built = build_baseline(program); !built) return built.error();
  Outcomes outcomes = run_all(request, missing, program);
  if (request.plain)
    if (Status described = perturb_and_describe(request, program, missing, outcomes, reference); !described)
      return described.error();
  for (size_t i = 0; i < missing.size(); i++) {
    if (!outcomes[i]->ok()) return outcomes[i]->error();
    if (Status taken = take(request, key, missing[i].seed, **outcomes[i], reference); !taken) return taken.error();
  }
  return reference;
}

uint32_t calls_of(const Capture& capture) {
  uint32_t calls = 0;
  for (const CapturedOutput& output : capture) calls = std::max(calls, output.iteration + 1);
  return calls;
}

Result<ReferenceRun> find_longer_run(const EvaluationRequest& request, const std::string& key, ConfinedProgram& program,
                                     uint64_t seed, uint32_t calls) {
  std::string name = outputs_name(key, seed, calls);
  if (std::optional<ReferenceRun> known = find_run(request.cache, name)) return *std::move(known);
  if (Status built = build_baseline(program); !built) return built.error();
  RunRequest run = verifying_run(seed, run_key_of(request, seed), BuildKind::Timing);
  run.loop = {calls, calls};
  Result<RunOutcome> outcome = program.run(run);
  if (!outcome) return outcome.error();
  return take_run(request.cache, name, seed, *outcome);
}

}  // namespace cuco::evaluate
