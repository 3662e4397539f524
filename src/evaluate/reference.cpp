#include "evaluate/reference.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <set>
#include <sstream>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/free_order.h"
#include "evaluate/input_key.h"
#include "evaluate/judging/judge.h"
#include "evaluate/parallel.h"
#include "evaluate/plain/plain.h"
#include "model/timed_region.h"

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

std::optional<PlainRun> find_plain_run(const Cache& cache, const std::string& name) {
  std::optional<std::string> text = cache.find("plain", name);
  return text ? parse_plain_run(*text) : std::nullopt;
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

RunRequest sampled_run(std::string run_key) {
  RunRequest run = timing_run(std::move(run_key));
  run.nudged = false;
  run.sample = true;
  run.iterations = 1;
  return run;
}

// The first seed takes every choice of the schedule as it comes, later ones are adverse.
RunRequest verifying_run(uint64_t seed, std::string run_key, BuildKind build) {
  return {build, build == BuildKind::Checking ? seed - 1 : 0, std::move(run_key), kWarmups, 1};
}

// `exit_code` is that of its original; none: whichever it is.
static Result<SampledTime> time_by_sampling(ConfinedProgram& program, std::string run_key, std::optional<int> exit_code) {
  RunRequest run = sampled_run(std::move(run_key));
  Result<RunOutcome> outcome = program.run(run);
  if (!outcome) return outcome.error();
  const vcluster::RunReport& report = outcome->report;
  SampledTime time{std::nullopt, findings_of(*outcome, Level::Timed, kTimingSeed, exit_code.value_or(report.exit_code)),
                   {},           report.exit_code,
                   {},           outcome->last_words};
  bool is_limit = report.verdict == "time_limit" || report.verdict == "memory_limit";
  if (!outcome->stopped.empty() || is_limit) time.limit = time.findings.front().text;
  constexpr Level level = Level::Timed;
  for (const std::string& reason : outcome->fallbacks)
    time.findings.push_back(level_finding(level, "fallback", concat("at this size ", reason), kTimingSeed));
  if (has_error(time.findings)) return time;
  time.timing = timing_of(report);
  time.timing->sampled = true;
  if (report.blocks_total > 0)
    time.timing->blocks_run = static_cast<double>(report.blocks_run) / static_cast<double>(report.blocks_total);
  time.notes.push_back(concat("timed by ", report.blocks_run, " of ", counted(report.blocks_total, "block"),
                              " in full, which is ", std::setprecision(3), 100 * report.work_run,
                              " % of its operations"));
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

Error baseline_error(const std::vector<Finding>& findings, const std::string& last_words) {
  auto first = std::find_if(findings.begin(), findings.end(), std::mem_fn(&Finding::is_error));
  bool has_said = last_words.empty() || first->text.find(last_words) != std::string::npos;
  std::string printed = has_said ? "" : concat("; the last that it printed: ", last_words);
  return Error{concat("the baseline does not pass, so there is nothing to compare with: ", first->kind, ": ",
                      first->text, first->kind == "limit" ? "; --memory and --limit allow more" : "", printed)};
}

bool has_error(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), std::mem_fn(&Finding::is_error));
}

std::vector<Finding> findings_of(const RunOutcome& outcome, Level level, uint64_t seed, int original_exit_code) {
  if (!outcome.stopped.empty())
    return {level_finding(level, "limit", concat("the run was ended: ", outcome.stopped), seed)};
  std::vector<Finding> findings;
  for (const vcluster::RunFinding& each : outcome.report.findings) {
    Finding finding = level_finding(level, each.kind, each.text, seed);
    finding.severity = each.severity;
    finding.rank = each.rank;
    finding.other_ranks = each.other_ranks;
    findings.push_back(finding);
  }
  if (has_error(findings)) return findings;
  const vcluster::RunReport& report = outcome.report;
  std::string printed =
      outcome.last_words.empty() ? "" : concat("; the last that it printed: ", outcome.last_words);
  bool ends_as_original = report.exit_code == original_exit_code && original_exit_code != 0;
  if (report.verdict == "exit" && !ends_as_original)
    findings.push_back(
        level_finding(level, "exit", concat("the program ended itself with code ", report.exit_code, printed), seed));
  else if (report.verdict != "ok" && report.verdict != "exit")
    findings.push_back(level_finding(level, report.verdict, "the run did not come to its end", seed));
  else if (report.exit_code != 0 && !ends_as_original)
    findings.push_back(
        level_finding(level, "exit_code", concat("the program ended with code ", report.exit_code, printed), seed));
  return findings;
}

namespace {

// What a finding is about, in the original and in what a rule makes of it: lines move, and the library's kernels stand
// for calls of NCCL.
std::pair<std::string, std::set<std::string>> subject_of(const Finding& finding) {
  std::set<std::string> kernels;
  std::istringstream words(finding.text);
  for (std::string word; words >> word;) {
    if (word != "kernel" || !(words >> word)) continue;
    std::string name = word.substr(0, word.find_first_of("<,;:"));
    bool of_library = name == "exchange_for" || name == "reduce_for" || name == "copy_staged" || name == "store_items";
    if (!of_library) kernels.insert(name);
  }
  return {finding.kind, kernels};
}

}  // namespace

std::vector<Finding> without_originals(std::vector<Finding> findings, const std::vector<Finding>& originals) {
  std::set<std::pair<std::string, std::set<std::string>>> known;
  for (const Finding& finding : originals) known.insert(subject_of(finding));
  std::erase_if(findings, [&](const Finding& finding) { return known.contains(subject_of(finding)); });
  return findings;
}

namespace {

struct MissingRun {
  uint64_t seed;
  RunRequest run;
};

vcluster::CallLoop loop_of(const EvaluationRequest& request) {
  if (request.calls > 0) return {request.calls, request.calls};
  return {kVerifiedCalls, kVerifiedCalls, request.plain ? vcluster::kFewPlainCalls : vcluster::kFewCalls};
}

// Fills in what the cache has and says which runs are needed for the rest.
std::vector<MissingRun> look_up(const EvaluationRequest& request, const std::string& key, Reference& reference) {
  std::vector<MissingRun> missing;
  for (uint32_t i = 0; i <= request.seed_count; i++) {
    bool is_timing = i == request.seed_count;
    uint64_t seed = is_timing ? kTimingSeed : request.first_seed + i;
    uint32_t calls = is_timing ? 0 : request.calls;
    std::optional<ReferenceRun> known = find_run(request.cache, outputs_name(key, seed, calls));
    std::optional<PlainRun> plain;
    if (request.plain) plain = find_plain_run(request.cache, outputs_name(key, seed, calls));
    bool complete = known && (!request.plain || plain);
    if (complete) reference.captures[seed] = std::move(known->capture), reference.traffic[seed] = known->traffic;
    if (complete && plain) reference.plain[seed] = *std::move(plain);
    if (is_timing) {
      reference.timing = find_timing(request.cache, key);
      complete = complete && reference.timing;
    }
    if (complete) continue;
    std::string key_of_run = run_key_of(request, seed);
    missing.push_back({seed, is_timing ? timing_run(key_of_run) : verifying_run(seed, key_of_run, BuildKind::Timing)});
    missing.back().run.configuration = &request.configuration;
    if (!is_timing) missing.back().run.loop = loop_of(request);
  }
  return missing;
}

// Kept under the name once it has passed.
Result<ReferenceRun> take_run(const EvaluationRequest& request, const std::string& name, uint64_t seed,
                              RunOutcome& outcome) {
  const Cache& cache = request.cache;
  // A program without a harness may be content with less than a workload is, but not with nothing at all.
  bool did_something = !outcome.capture.empty() || !outcome.report.traffic.transfers.empty();
  int accepted = request.plain && did_something ? outcome.report.exit_code : 0;
  std::vector<Finding> findings = findings_of(outcome, Level::Verified, seed, accepted);
  if (!has_error(findings) && !request.plain) findings = judge_baseline(outcome.capture);
  if (has_error(findings)) return baseline_error(findings, outcome.last_words);
  bool by_rules = request.plain && request.rewritten;
  if (outcome.capture.empty() && !by_rules) return Error{"the baseline puts nothing out that could be compared"};
  cache.store("outputs", name, encode(outcome.capture));
  cache.store("traffic", name, model::to_json(outcome.report.traffic));
  return ReferenceRun{std::move(outcome.capture), outcome.report.traffic};
}

Status take(const EvaluationRequest& request, const std::string& key, uint64_t seed, RunOutcome& outcome,
            Reference& reference) {
  bool is_timing = seed == kTimingSeed;
  std::string name = outputs_name(key, seed, is_timing ? 0 : request.calls);
  Result<ReferenceRun> run = take_run(request, name, seed, outcome);
  if (!run) return run.error();
  reference.captures[seed] = std::move(run->capture);
  reference.traffic[seed] = std::move(run->traffic);
  if (request.plain) request.cache.store("plain", name, to_text(reference.plain[seed]));
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

// `exit_code` is how the program ends by itself.
std::vector<Finding> faults_of(const MissingRun& asked, const std::optional<Result<RunOutcome>>& outcome,
                               int exit_code) {
  if (!outcome || !outcome->ok()) return {level_finding(Level::Verified, "fault", "it could not be run", asked.seed)};
  std::vector<Finding> findings = findings_of(**outcome, Level::Verified, asked.seed, exit_code);
  std::erase_if(findings, [](const Finding& finding) { return !finding.is_error(); });
  return findings;
}

Outcomes run_all(const EvaluationRequest& request, const std::vector<MissingRun>& missing,
                 const ConfinedProgram& program) {
  Outcomes outcomes(missing.size());
  run_in_order(static_cast<uint32_t>(missing.size()), request.job_count, [&](uint32_t i) {
    outcomes[i] = program.run(missing[i].run);
    if (!outcomes[i]->ok()) return false;
    int accepted = request.plain ? (*outcomes[i])->report.exit_code : 0;
    return !has_error(findings_of(**outcomes[i], Level::Verified, missing[i].seed, accepted));
  });
  return outcomes;
}

int exit_code_of(const std::optional<Result<RunOutcome>>& outcome) {
  return outcome && outcome->ok() ? (*outcome)->report.exit_code : 0;
}

// The first fault of the runs, as a reason; empty when all passed. `own` are those of the program as it is.
std::string first_fault(const std::vector<MissingRun>& missing, const Outcomes& outcomes, const Outcomes& own) {
  for (size_t i = 0; i < missing.size(); i++)
    if (std::vector<Finding> faults = faults_of(missing[i], outcomes[i], exit_code_of(own[i])); !faults.empty())
      return concat(faults[0].kind, ": ", faults[0].text);
  return "";
}

void describe(Outcomes& outcomes, const model::Program& analysed, const FreeOrder& order) {
  for (std::optional<Result<RunOutcome>>& outcome : outcomes) {
    if (!outcome || !outcome->ok()) continue;
    describe_baseline((*outcome)->capture, analysed);
    set_tolerances(order, (*outcome)->report.operations, (*outcome)->capture);
  }
}

// NCCL refuses them: the program is meant for a launcher that shows each rank its own.
bool share_a_device(const Outcomes& outcomes) {
  return std::ranges::any_of(outcomes, [](const std::optional<Result<RunOutcome>>& outcome) {
    return outcome && outcome->ok() && vcluster::shares_a_device((*outcome)->report);
  });
}

std::string in_a_line(const std::string& text) { return split(text, '\n')[0]; }

// Looks for the most demanding runs of a plain baseline that it passes itself: with other inputs, in a loop. What the
// analysis says about the program's text and what its first runs, as it is, showed is the start.
class PlainTrial {
 public:
  PlainTrial(const EvaluationRequest& request, ConfinedProgram& program, std::vector<MissingRun> runs)
      : request_(request), program_(program), runs_(std::move(runs)) {}

  // The runs that are the oracle, in the order of those asked for.
  Result<Outcomes> run(std::map<uint64_t, PlainRun>& said) {
    Result<model::Program> analysed = program_.analyse();
    if (!analysed) return analysed.error();
    analysed->timed_region = model::find_timed_region(*analysed);
    analysed_ = *std::move(analysed);
    order_ = find_free_order(analysed_, request_.baseline, request_.configuration.rank_count);
    once_ = mark();
    for (MissingRun& run : runs_) {
      if (is_verifying(run) && is_marked_) run.run.build = BuildKind::Repeating;
      run.run.loop = {};
    }
    outcomes_ = run_all(request_, runs_, program_);
    if (share_a_device(outcomes_)) {
      for (MissingRun& run : runs_) run.run.own_device = true;
      outcomes_ = run_all(request_, runs_, program_);
    }
    describe(outcomes_, analysed_, order_);
    if (first_fault(runs_, outcomes_, outcomes_).empty()) look_for_more();
    for (const MissingRun& run : runs_) said[run.seed] = said_of(run);
    return std::move(outcomes_);
  }

 private:
  bool is_verifying(const MissingRun& run) const { return run.seed != kTimingSeed; }

  // Why that cannot be done, or empty. A region whose own loops communicate over and over needs no marks.
  std::string mark() {
    const Result<PlainRegion>& region = program_.region();
    if (!region) return in_a_line(region.error().message);
    if (!region->set_up.empty()) return concat(region->set_up, " stands in it");
    if (region->own_calls >= vcluster::kFewCalls) {
      own_calls_ = region->own_calls;
      return "";
    }
    Status built = program_.is_built(BuildKind::Repeating) ? Status(Done{}) : program_.build(BuildKind::Repeating);
    if (!built) return concat("in a loop it does not build: ", in_a_line(built.error().message));
    is_marked_ = true;
    return "";
  }

  void look_for_more() {
    for (size_t i = 0; i < runs_.size(); i++) learn(runs_[i], (*outcomes_[i])->report);
    bool may_perturb =
        std::any_of(uploads_.begin(), uploads_.end(), [](const auto& each) { return !each.second.empty(); });
    own_inputs_ = may_perturb ? "" : "it copies no floating-point data to a device before its region";
    if (is_marked_ && !is_reached_) once_ = "not every rank comes to it";
    bool may_loop = is_marked_ && is_reached_ && own_calls_ == 0;
    if (may_perturb && try_with(true, may_loop)) return;
    std::string fault = fault_;
    if (may_loop && try_with(false, true)) return void(own_inputs_ = may_perturb ? why_own(fault) : own_inputs_);
    if (may_loop) once_ = concat("in a loop it does not pass itself: ", fault_);
    if (may_loop && may_perturb && try_with(true, false)) return;
    if (may_perturb) own_inputs_ = why_own(fault_);
  }

  static std::string why_own(const std::string& fault) {
    return concat("with others it does not pass itself: ", fault);
  }

  void learn(const MissingRun& run, const vcluster::RunReport& report) {
    uploads_[run.seed] = floating_uploads(report, analysed_);
    if (!is_verifying(run)) return;
    read_[run.seed] = region_outputs(report, analysed_);
    rounds_[run.seed] = report.calls;
    is_reached_ = is_reached_ && report.calls > 0;
    if (report.calls >= vcluster::kFewCalls) own_calls_ = report.calls;
  }

  bool try_with(bool perturbed, bool looped) {
    std::vector<MissingRun> runs = runs_;
    for (size_t i = 0; i < runs.size(); i++) {
      RunRequest& run = runs[i].run;
      if (perturbed) run.perturbed = uploads_[runs[i].seed];
      if (!looped || !is_verifying(runs[i])) continue;
      run.loop = loop_of(request_);
      run.watches = watches_of((*outcomes_[i])->capture);
      run.read_backs = chosen((*outcomes_[i])->report.read_backs, read_[runs[i].seed]);
    }
    Outcomes outcomes = run_all(request_, runs, program_);
    describe(outcomes, analysed_, order_);
    fault_ = in_a_line(first_fault(runs, outcomes, outcomes_));
    if (!fault_.empty()) return false;
    runs_ = std::move(runs);
    outcomes_ = std::move(outcomes);
    return true;
  }

  PlainRun said_of(const MissingRun& run) const {
    PlainRun said{run.run.perturbed, own_inputs_, 0, once_, own_calls_, {}};
    said.own_device = run.run.own_device;
    const std::optional<Result<RunOutcome>>& outcome = outcomes_[static_cast<size_t>(&run - runs_.data())];
    said.exit_code = exit_code_of(outcome);
    if (outcome && outcome->ok()) said.tolerance = tolerance_note(order_, (*outcome)->capture);
    if (is_marked_ && own_calls_ > 0 && is_verifying(run)) said.calls = 1;
    if (run.run.loop.calls == 0) return said;
    // The rounds that the program makes by itself come on top, for candidates too.
    said.calls = (*outcomes_[static_cast<size_t>(&run - runs_.data())])->report.calls - rounds_.at(run.seed) + 1;
    said.read = read_.at(run.seed);
    return said;
  }

  const EvaluationRequest& request_;
  ConfinedProgram& program_;
  std::vector<MissingRun> runs_;
  Outcomes outcomes_;
  model::Program analysed_;
  FreeOrder order_;
  std::map<uint64_t, std::vector<vcluster::Upload>> uploads_;
  std::map<uint64_t, std::set<std::pair<int, uint32_t>>> read_;
  std::map<uint64_t, uint32_t> rounds_;  // Calls of the region that the program makes by itself.
  std::string own_inputs_, once_, fault_;
  uint32_t own_calls_ = 0;  // That loops of its own make, around the marks or, without marks, in the region.
  bool is_marked_ = false;
  bool is_reached_ = true;  // By every rank.
};

}  // namespace

namespace {

// "EXIT CODE", a line break, the rest as a verdict.
std::optional<SampledTime> known_sampled_time(const Cache& cache, const std::string& key) {
  std::optional<std::string> text = cache.find("sampled_times", key);
  if (!text) return std::nullopt;
  SampledTime time;
  Verdict verdict = verdict_from_json(text->substr(text->find('\n') + 1));
  if (!verdict.timing || !(std::istringstream(*text) >> time.exit_code)) return std::nullopt;
  time.timing = verdict.timing, time.findings = verdict.findings, time.notes = verdict.notes;
  return time;
}

void store_sampled_time(const Cache& cache, const std::string& key, const SampledTime& time) {
  Verdict verdict;
  verdict.timing = time.timing, verdict.findings = time.findings, verdict.notes = time.notes;
  cache.store("sampled_times", key, concat(time.exit_code, "\n", to_json(verdict)));
}

}  // namespace

Result<SampledTime> find_sampled_time(const EvaluationRequest& request, const std::string& key,
                                      ConfinedProgram& program) {
  if (std::optional<SampledTime> known = known_sampled_time(request.cache, key)) return *std::move(known);
  if (Status built = build_baseline(program); !built) return built.error();
  std::optional<int> exit_code = request.plain ? std::nullopt : std::optional(0);
  Result<SampledTime> time = time_by_sampling(program, run_key_of(request, kTimingSeed), exit_code);
  if (!time) return time;
  if (!time->timing && !time->limit.empty()) return time;
  if (!time->timing) return baseline_error(time->findings, time->last_words);
  store_sampled_time(request.cache, key, *time);
  return time;
}

Result<SampledTime> find_candidate_time(const EvaluationRequest& request, const std::string& baseline_key,
                                        ConfinedProgram& program, int exit_code) {
  std::string key = sha256(concat(baseline_key, " ", digest_of(request.candidate)));
  if (std::optional<SampledTime> known = known_sampled_time(request.cache, key)) return *std::move(known);
  Result<SampledTime> time = time_by_sampling(program, run_key_of(request, kTimingSeed), exit_code);
  if (time && time->timing) store_sampled_time(request.cache, key, *time);
  return time;
}

Result<Reference> find_reference(const EvaluationRequest& request, const std::string& key, ConfinedProgram& program) {
  Reference reference;
  std::vector<MissingRun> missing = look_up(request, key, reference);
  if (missing.empty()) return reference;
  if (Status built = build_baseline(program); !built) return built.error();
  Outcomes outcomes;
  if (!request.plain) {
    outcomes = run_all(request, missing, program);
  } else if (Result<Outcomes> found = PlainTrial(request, program, missing).run(reference.plain); found) {
    outcomes = *std::move(found);
  } else {
    return found.error();
  }
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
  run.configuration = &request.configuration;
  Result<RunOutcome> outcome = program.run(run);
  if (!outcome) return outcome.error();
  return take_run(request, name, seed, *outcome);
}

}  // namespace cuco::evaluate
