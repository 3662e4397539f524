#include "evaluate/evaluate.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <set>
#include <sstream>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/access_runs.h"
#include "evaluate/bound_note.h"
#include "evaluate/communication.h"
#include "evaluate/judge.h"
#include "evaluate/parallel.h"
#include "evaluate/plain.h"
#include "evaluate/reference.h"
#include "evaluate/sandbox.h"
#include "evaluate/text_check.h"
#include "evaluate/work_share.h"
#include "model/profile_toml.h"

namespace cuco::evaluate {

namespace {

std::string describe(const EvaluationRequest& request, const model::HardwareProfile& profile) {
  const Configuration& configuration = request.configuration;
  std::string text = concat(request.tools.version(), "\n", static_cast<int>(configuration.purpose), " ",
                            configuration.rank_count, " ", configuration.node_count, " ", request.plain, " ",
                            request.input_key, "\n", model::to_toml(profile), model::to_text(request.flags));
  for (const std::string& argument : program_arguments(configuration)) text += concat(argument, "\n");
  return concat(text, request.folder.string(), "\n", request.start_folder.string(), "\n");
}

bool is_same(const std::vector<SourceFile>& a, const std::vector<SourceFile>& b) {
  return digest_of(a) == digest_of(b);
}

// The same fault shows under many schedules; the first one that shows it is enough.
void add_findings(const std::vector<Finding>& found, std::vector<Finding>& all) {
  for (const Finding& finding : found) {
    bool known = std::any_of(all.begin(), all.end(), [&](const Finding& each) {
      return each.kind == finding.kind && each.rank == finding.rank && each.text == finding.text;
    });
    if (!known) all.push_back(finding);
  }
}

// Seeds are options of cuco: they come before what follows "--", which is the program's own.
std::string with_seed(const std::string& command, uint64_t seed) {
  size_t own = std::min(command.find(" -- "), command.size());
  return concat(command.substr(0, own), " --seed ", seed, " --seeds 1", command.substr(own));
}

// One candidate on its way through the levels after the text's. Each level returns false when the candidate did not
// pass it; an error is of the request.
class Cascade {
 public:
  // `proved` is the verdict of the request's proof.
  Cascade(const EvaluationRequest& request, const model::HardwareProfile& profile, std::string key,
          std::optional<Verdict> proved)
      : request_(request), profile_(profile), key_(std::move(key)), proved_(std::move(proved)) {}

  Result<Verdict> run() {
    verdict_.reached = Level::Text;
    if (request_.configuration.purpose == Purpose::Full) return time_full_size();
    Result<bool> built = pass_build();
    if (!built) return built.error();
    if (!*built) return verdict_;
    std::future<std::optional<Finding>> nvcc = std::async(std::launch::async, [this] { return build_with_nvcc(); });
    Result<bool> verified = pass_verify();
    std::optional<Finding> refused = nvcc.get();
    if (!verified) return verified.error();
    if (refused) {
      verdict_.reached = Level::Text;
      verdict_.findings = {*refused};
      return verdict_;
    }
    if (!*verified) return verdict_;
    if (Status timed = pass_time(); !timed) return timed.error();
    return verdict_;
  }

  // What this machine may have caused is not remembered.
  bool is_lasting() const { return !candidate_ || !candidate_->hit_limit(); }

 private:
  void say(const std::string& what) const {
    if (request_.progress) request_.progress(what);
  }
  bool is_baseline() const { return is_same(request_.candidate, request_.baseline); }

  Result<Verdict> time_full_size() {
    if (Status made = make_candidate(); !made) return made.error();
    if (Status built = candidate_->build(BuildKind::Timing); !built) {
      refuse_build(built.error().message);
      return verdict_;
    }
    Result<bool> is_fair = pass_imports(BuildKind::Timing);
    if (!is_fair) return is_fair.error();
    if (!*is_fair) return verdict_;
    if (std::optional<Finding> refused = build_with_nvcc()) {
      verdict_.findings = {*refused};
      return verdict_;
    }
    say("timing by block sampling");
    Result<SampledTime> time = time_by_sampling(*candidate_, run_key_of(request_, kTimingSeed));
    if (!time) return time.error();
    verdict_.findings = time->findings;
    verdict_.timing = time->timing;
    verdict_.reached = time->timing ? Level::Timed : Level::Built;
    if (proved_) verdict_.proved_at = place_of(*proved_);
    verdict_.notes.insert(verdict_.notes.end(), time->notes.begin(), time->notes.end());
    if (!nvcc_note_.empty()) verdict_.notes.push_back(nvcc_note_);
    if (Status compared = compare_full_size(); !compared) return compared.error();
    return verdict_;
  }

  Status compare_full_size() {
    if (!verdict_.timing || is_baseline()) return Done{};
    Result<ConfinedProgram> program =
        ConfinedProgram::make(request_.baseline, setting_of(request_, profile_), request_.tools);
    if (!program) return program.error();
    if (Status built = program->build(BuildKind::Timing); !built) return built;
    Result<SampledTime> time = time_by_sampling(*program, run_key_of(request_, kTimingSeed));
    if (!time) return time.error();
    if (!time->timing) return baseline_error(time->findings);
    std::optional<WorkShare> proved = proved_ ? proved_->work : std::nullopt;
    std::string missing = missing_work(work_share(*verdict_.timing, *time->timing), proved);
    if (missing.empty())
      compare_with(*time->timing);
    else
      refuse_time("missing_work", missing, Level::Built);
    return Done{};
  }

  std::string place_of(const Verdict& proved) const {
    return concat(request_.proof->name, ", under ", counted(proved.schedules_run, "schedule"));
  }

  // A time that nobody can have is not one.
  void compare_with(const Timing& baseline) {
    if (std::string reason = impossibility(*verdict_.timing, baseline); !reason.empty())
      return refuse_time("impossible_time", reason, verdict_.timing->sampled ? Level::Built : Level::Verified);
    verdict_.baseline_us = baseline.median_us;
    verdict_.baseline_bound_us = baseline.bound_us();
    verdict_.work = work_share(*verdict_.timing, baseline);
    if (std::string note = note_below_bound(*verdict_.timing, baseline); !note.empty()) verdict_.notes.push_back(note);
  }

  void refuse_time(const char* kind, const std::string& reason, Level reached) {
    verdict_.reached = reached;
    verdict_.timing.reset();
    Finding finding;
    finding.level = Level::Timed;
    finding.kind = kind;
    finding.text = reason;
    verdict_.findings.push_back(finding);
  }

  Status make_candidate() {
    say("building");
    Result<ConfinedProgram> program =
        ConfinedProgram::make(request_.candidate, setting_of(request_, profile_), request_.tools);
    if (!program) return program.error();
    candidate_.emplace(std::move(*program));
    if (request_.plain && request_.configuration.purpose != Purpose::Full) candidate_->mark_region();
    return Done{};
  }

  Result<bool> pass_build() {
    if (Status made = make_candidate(); !made) return made.error();
    const BuildKind kinds[] = {BuildKind::Checking, BuildKind::Timing};
    // The timing build can wait until the candidate is verified, if there is no core for it at once.
    std::vector<std::optional<Status>> built(request_.job_count > 1 ? 2 : 1);
    run_in_order(static_cast<uint32_t>(built.size()), request_.job_count, [&](uint32_t i) {
      built[i] = candidate_->build(kinds[i]);
      return built[i]->ok();
    });
    for (const std::optional<Status>& each : built) {
      if (each->ok()) continue;
      refuse_build(each->error().message);
      return false;
    }
    Result<bool> is_fair = pass_imports(BuildKind::Checking);
    if (is_fair && *is_fair) verdict_.reached = Level::Built;
    return is_fair;
  }

  Result<bool> pass_imports(BuildKind kind) {
    Result<std::string> name = undue_import(kind);
    if (!name) return name.error();
    if (name->empty()) return true;
    refuse_build(concat("the candidate uses '", *name, "', which its parent does not and not every candidate may"));
    verdict_.findings.front().kind = "forbidden";
    return false;
  }

  // A name that the candidate asks the system for and its parent does not; empty: none. The rewriter's text is cuco's
  // own.
  Result<std::string> undue_import(BuildKind kind) const {
    const std::vector<std::string>& asked = candidate_->unusual_imports(kind);
    if (asked.empty() || request_.rewritten || is_same(request_.candidate, request_.parent)) return std::string();
    Result<std::vector<std::string>> known = imports_of(request_.parent);
    if (!known) return known.error();
    for (const std::string& name : asked)
      if (std::find(known->begin(), known->end(), name) == known->end()) return name;
    return std::string();
  }

  Result<std::vector<std::string>> imports_of(const std::vector<SourceFile>& files) const {
    std::string key = sha256(concat(key_, digest_of(files)));
    if (std::optional<std::string> cached = request_.cache.find("imports", key)) return split(*cached, '\n');
    Result<ConfinedProgram> program = ConfinedProgram::make(files, setting_of(request_, profile_), request_.tools);
    if (!program) return program.error();
    if (Status built = program->build(BuildKind::Timing); !built) return built.error();
    const std::vector<std::string>& names = program->unusual_imports(BuildKind::Timing);
    request_.cache.store("imports", key, join(names, "\n"));
    return names;
  }

  // Whenever it is found out, the verdict is the same.
  void refuse_build(const std::string& message) {
    verdict_ = {};
    verdict_.reached = Level::Text;
    Finding finding;
    finding.level = Level::Built;
    finding.kind = "build";
    finding.text = message;
    verdict_.findings.push_back(finding);
  }

  std::optional<Finding> build_with_nvcc() {
    RealProcessRunner processes;
    std::vector<std::filesystem::path> folders;
    if (request_.with_nvcc) folders = library_include_folders(processes, RealEnvironment());
    nvcc_note_ = reason_against_nvcc(folders);
    if (!nvcc_note_.empty()) return std::nullopt;
    std::string key = sha256(concat(key_, digest_of(request_.candidate)));
    if (request_.cache.find("nvcc", key)) return std::nullopt;
    say("building with nvcc");
    Status built = candidate_->build_with_nvcc(folders);
    if (built.ok()) {
      request_.cache.store("nvcc", key, "built\n");
      return std::nullopt;
    }
    Finding finding;
    finding.level = Level::Built;
    finding.kind = "nvcc";
    finding.text = built.error().message;
    return finding;
  }

  // Empty when it can be done. A header that this machine lacks is not the candidate's fault.
  std::string reason_against_nvcc(const std::vector<std::filesystem::path>& folders) const {
    if (!request_.with_nvcc) return "not built with nvcc, as asked for";
    if (request_.tools.nvcc.empty()) return "not built with nvcc: there is none here";
    for (const SourceFile& file : request_.candidate)
      for (const char* header : {"mpi.h", "nccl.h", "nccl_device.h"})
        if (file.text.find(concat("<", header, ">")) != std::string::npos &&
            !request_.tools.has_header(header, folders))
          return concat("not built with nvcc: ", header, " is not here");
    return "";
  }

  Result<bool> pass_verify() {
    say("running the baseline");
    Result<Reference> reference = find_baseline(request_);
    if (!reference) return reference.error();
    reference_ = std::move(*reference);
    if (request_.plain && !pass_marks()) return false;
    Result<bool> passed = pass_schedules();
    while (passed && *passed && were_cut_ && call_longer()) passed = pass_schedules();
    if (passed && *passed) verdict_.reached = Level::Verified;
    return passed;
  }

  Result<bool> pass_schedules() {
    were_cut_ = false;
    verdict_.schedules_run = 0;
    std::vector<std::optional<Result<JudgedRun>>> runs(request_.seed_count);
    run_in_order(request_.seed_count, request_.job_count, [&](uint32_t i) {
      runs[i] = verify_with(request_.first_seed + i);
      return runs[i]->ok() && !has_error((*runs[i])->findings);
    });
    for (std::optional<Result<JudgedRun>>& run : runs) {
      if (!run->ok()) return run->error();
      verdict_.schedules_run++;
      add_findings((*run)->findings, verdict_.findings);
      if (has_error((*run)->findings)) return false;
      were_cut_ = were_cut_ || (*run)->was_cut;
    }
    verdict_.traffic = std::move((*runs[0])->traffic);
    return true;
  }

  // Signals or slots of a plain candidate have not come round yet: both programs are called more often. False: they
  // are not, because that is as often as they may be, or the baseline does not pass so many calls.
  bool call_longer() {
    if (!request_.plain || request_.calls > 0) return false;
    uint32_t calls = reference_.plain.at(request_.first_seed).calls;
    if (calls < kVerifiedCalls || calls >= kVerifiedCallsMax) return false;
    EvaluationRequest longer = request_;
    longer.calls = std::min(3 * calls, kVerifiedCallsMax);
    say(concat("running the baseline ", longer.calls, " times in a loop"));
    Result<Reference> reference = find_baseline(longer);
    if (!reference || reference->plain.at(request_.first_seed).calls <= calls) return false;
    reference_ = std::move(*reference);
    return true;
  }

  bool is_repeated(uint64_t seed) const { return reference_.plain.at(seed).calls > 1; }

  // Where the region of a plain baseline is repeated, so is the candidate's. What it reads after each call is what the
  // timed run, which has no loop, reads in the end.
  bool pass_marks() {
    uint64_t seed = request_.first_seed;
    if (!is_repeated(seed)) return true;
    if (const Result<PlainRegion>& region = candidate_->mark_region(); !region) {
      refuse_marks(region.error().message);
      return false;
    }
    if (!build_for_timing()) return false;
    timed_ = run_candidate(timing_run(run_key_of(request_, kTimingSeed)), kTimingSeed);
    if (*timed_) read_backs_ = chosen((*timed_)->report.read_backs, reference_.plain.at(seed).read);
    return true;
  }

  bool build_for_timing() {
    if (candidate_->is_built(BuildKind::Timing)) return true;
    Status built = candidate_->build(BuildKind::Timing);
    if (!built) refuse_build(built.error().message);
    return built.ok();
  }

  void refuse_marks(const std::string& reason) {
    Finding finding;
    finding.level = Level::Verified;
    finding.kind = "not_repeatable";
    finding.text = concat("the baseline's region can be called in a loop, the candidate's cannot: ", reason);
    verdict_.findings.push_back(finding);
  }

  // As often as the baseline called it.
  vcluster::CallLoop loop_for(uint64_t seed) const {
    if (request_.plain) return {reference_.plain.at(seed).calls, reference_.plain.at(seed).calls};
    uint32_t calls = calls_of(reference_.captures.at(seed));
    return {calls, std::max(calls, kVerifiedCallsMax)};
  }

  struct JudgedRun {
    std::vector<Finding> findings;
    SeenTraffic traffic;
    bool was_cut = false;
  };
  struct Expected {
    const Capture& capture;
    const model::Traffic& traffic;
  };

  // Called by several threads.
  Result<JudgedRun> verify_with(uint64_t seed) {
    say(concat("verifying with seed ", seed));
    RunRequest run = verifying_run(seed, run_key_of(request_, seed), BuildKind::Checking);
    run.loop = loop_for(seed);
    run.read_backs = read_backs_;
    Result<RunOutcome> outcome = run_candidate(run, seed);
    if (!outcome) return outcome.error();
    Result<Expected> expected = expected_of(*outcome, seed);
    if (!expected) return expected.error();
    return JudgedRun{judge_run(*outcome, *expected, Level::Verified, seed),
                     {outcome->report.traffic, expected->traffic},
                     outcome->report.calls_were_cut};
  }

  Expected usual_for(uint64_t seed) const { return {reference_.captures.at(seed), reference_.traffic.at(seed)}; }

  // A candidate whose slots took more calls to come round is compared in all of them.
  Result<Expected> expected_of(const RunOutcome& outcome, uint64_t seed) {
    uint32_t calls = outcome.report.calls;
    if (request_.plain || calls <= calls_of(reference_.captures.at(seed))) return usual_for(seed);
    std::lock_guard lock(longer_mutex_);
    Result<ReferenceRun> run = find_longer_run(request_, baseline_key(), baseline(), seed, calls);
    if (!run) return run.error();
    const ReferenceRun& kept = longer_[seed] = *std::move(run);
    return Expected{kept.capture, kept.traffic};
  }

  std::string baseline_key() const { return sha256(concat(key_, digest_of(request_.baseline))); }
  ConfinedProgram& baseline() { return is_baseline() ? *candidate_ : *baseline_; }

  // The baseline is built a second time only when it is not the candidate.
  Result<Reference> find_baseline(const EvaluationRequest& request) {
    if (!is_baseline() && !baseline_) {
      Result<ConfinedProgram> program =
          ConfinedProgram::make(request_.baseline, setting_of(request_, profile_), request_.tools);
      if (!program) return program.error();
      baseline_.emplace(std::move(*program));
    }
    return find_reference(request, baseline_key(), baseline());
  }

  // Called by several threads; what it reads of the reference does not change any more.
  Result<RunOutcome> run_candidate(RunRequest run, uint64_t seed) const {
    const Capture& expected = reference_.captures.at(seed);
    if (request_.plain) run.watches = watches_of(expected);
    if (request_.plain) run.perturbed = reference_.plain.at(seed).perturbed;
    Result<RunOutcome> outcome = candidate_->run(run);
    if (outcome && request_.plain) describe_candidate(outcome->capture, expected);
    return outcome;
  }

  // Outputs, and how the bytes travelled that they depend on.
  std::vector<Finding> compare_run(const RunOutcome& outcome, const Expected& expected, Level level) const {
    const model::Traffic& seen = outcome.report.traffic;
    std::vector<Finding> findings = judge_outputs(expected.capture, outcome.capture, level);
    std::ranges::move(find_ways_around(expected.traffic, seen), std::back_inserter(findings));
    if (level == Level::Verified)
      std::ranges::move(find_missing_data(expected.traffic, seen), std::back_inserter(findings));
    return findings;
  }

  // What checkers find in the original under the same schedule is its own and rejects nobody. Asked for only when they
  // found something in the candidate.
  const std::vector<Finding>& original_findings(uint64_t seed) {
    std::lock_guard lock(originals_mutex_);
    auto [known, is_new] = originals_.try_emplace(seed);
    if (!is_new) return known->second;
    if (!baseline().is_built(BuildKind::Checking) && !baseline().build(BuildKind::Checking)) return known->second;
    RunRequest run = verifying_run(seed, run_key_of(request_, seed), BuildKind::Checking);
    run.loop = loop_for(seed);
    run.perturbed = reference_.plain.at(seed).perturbed;
    if (Result<RunOutcome> outcome = baseline().run(run)) known->second = findings_of(*outcome, Level::Verified, seed);
    for (const Finding& finding : known->second)
      if (finding.severity == "error") own_faults_.insert(concat(finding.kind, ": ", split(finding.text, '\n')[0]));
    return known->second;
  }

  std::vector<Finding> judge_run(const RunOutcome& outcome, const Expected& expected, Level level, uint64_t seed) {
    int exit_code = request_.plain ? reference_.plain.at(seed).exit_code : 0;
    std::vector<Finding> findings = findings_of(outcome, level, seed, exit_code);
    if (has_error(findings) && request_.plain && level == Level::Verified)
      findings = without_originals(std::move(findings), original_findings(seed));
    if (!has_error(findings))
      for (Finding finding : compare_run(outcome, expected, level)) {
        finding.level = level;
        finding.seed = seed;
        findings.push_back(finding);
      }
    for (Finding& finding : findings)
      if (!request_.repeat.empty() && level == Level::Verified) finding.repeat = with_seed(request_.repeat, seed);
    return findings;
  }

  std::vector<Finding> judge_outputs(const Capture& expected, const Capture& seen, Level level) const {
    std::vector<Finding> findings = compare(expected, seen);
    bool may_round = request_.allow_lossy || request_.plain || level != Level::Timed;
    return findings.empty() && !may_round ? compare_changes(expected, seen, kNudgedIterations) : findings;
  }

  // The timed run is judged as well: what is fast must be right, in the same run.
  Status pass_time() {
    say("timing");
    if (!build_for_timing()) return Done{};
    if (!timed_) timed_ = run_candidate(timing_run(run_key_of(request_, kTimingSeed)), kTimingSeed);
    const Result<RunOutcome>& outcome = *timed_;
    if (!outcome) return outcome.error();
    std::vector<Finding> findings = judge_run(*outcome, usual_for(kTimingSeed), Level::Timed, kTimingSeed);
    add_findings(findings, verdict_.findings);
    add_notes();
    if (has_error(findings)) return Done{};
    verdict_.timing = timing_of(outcome->report);
    verdict_.reached = Level::Timed;
    if (!is_baseline() && reference_.timing) compare_with(*reference_.timing);
    return Done{};
  }

  void add_notes() {
    for (const std::string& fault : own_faults_) verdict_.notes.push_back(concat("the original's own: ", fault));
    if (!nvcc_note_.empty()) verdict_.notes.push_back(nvcc_note_);
    uint32_t calls = calls_of(reference_.captures.at(request_.first_seed));
    if (request_.plain)
      verdict_.notes.push_back(
          plain_note(reference_.captures.at(kTimingSeed), reference_.plain.at(request_.first_seed)));
    else if (request_.calls == 0 && calls < kVerifiedCalls)
      verdict_.notes.push_back(concat("verified over ", calls,
                                      " calls of the region a schedule, because each does much "
                                      "work; --calls ",
                                      kVerifiedCalls, " makes more"));
    if (were_cut_)
      verdict_.notes.push_back(concat("after ", request_.plain ? calls : kVerifiedCallsMax,
                                      " calls of the region its signals or slots of "
                                      "windows had not come round: their reuse is not verified"));
  }

  const EvaluationRequest& request_;
  const model::HardwareProfile& profile_;
  std::string key_;
  std::optional<Verdict> proved_;
  std::optional<ConfinedProgram> candidate_, baseline_;
  Reference reference_;
  std::optional<Result<RunOutcome>> timed_;
  std::vector<vcluster::ReadBack> read_backs_;  // Of a plain candidate: what it reads after every call.
  std::mutex longer_mutex_;
  std::map<uint64_t, ReferenceRun> longer_;  // By seed: of more calls.
  std::mutex originals_mutex_;
  std::map<uint64_t, std::vector<Finding>> originals_;  // By seed: what checkers find in a plain baseline.
  std::set<std::string> own_faults_;                    // Of it, a line each.
  bool were_cut_ = false;
  std::string nvcc_note_;
  Verdict verdict_;
};

std::optional<Verdict> find_verdict(const Cache& cache, const std::string& key) {
  std::optional<std::string> text = cache.find("verdicts", key);
  if (!text) return std::nullopt;
  Verdict verdict = verdict_from_json(*text);
  if (to_json(verdict) != *text) return std::nullopt;
  return verdict;
}

TracedRun traced_region(RunOutcome outcome) {
  TracedRun traced{std::move(outcome.trace), outcome.report.timings[0].begin_us, 0};
  for (const vcluster::RankTiming& timing : outcome.report.timings) {
    traced.begin_us = std::min(traced.begin_us, timing.begin_us);
    traced.end_us = std::max(traced.end_us, timing.end_us);
  }
  return traced;
}

// "BEGIN END", a line break, the trace.
std::optional<TracedRun> find_trace(const Cache& cache, const std::string& key) {
  std::optional<std::string> text = cache.find("traces", key);
  if (!text) return std::nullopt;
  TracedRun traced;
  std::istringstream numbers(text->substr(0, text->find('\n')));
  if (!(numbers >> traced.begin_us >> traced.end_us)) return std::nullopt;
  traced.trace = text->substr(text->find('\n') + 1);
  return traced;
}

// The verdict at the configuration that a full size is verified by; none where there is nothing to prove.
Result<std::optional<Verdict>> prove(const EvaluationRequest& request) {
  if (!request.proof || is_same(request.candidate, request.baseline)) return std::optional<Verdict>();
  EvaluationRequest proof = request;
  proof.configuration = *request.proof;
  proof.proof.reset();
  proof.with_nvcc = false;
  Result<Verdict> verdict = evaluate(proof);
  if (!verdict) return verdict.error();
  return std::optional(*std::move(verdict));
}

// With defaults filled in, so that a request has one form.
EvaluationRequest completed(EvaluationRequest request) {
  if (request.parent.empty()) request.parent = request.baseline;
  if (request.candidate.empty()) request.candidate = request.baseline;
  return request;
}

// Runs of the same shape that show what the bytes depend on. One that fails says nothing.
void add_repeats(const AccessRuns& runs, model::AccessTrace& trace) {
  Result<model::AccessTrace> inputs = runs.trace_other_inputs(), order = runs.trace_other_order();
  if (inputs) model::note_varying(trace, *inputs, "with other inputs");
  if (order) model::note_varying(trace, *order, "when blocks run in another order");
  for (Result<model::AccessTrace>* other : {&inputs, &order})
    if (*other) trace.repeats.push_back(*std::move(*other));
}

// What the case shows of some of its blocks has to hold where all of them run.
Status add_proof(const EvaluationRequest& request, model::AccessTrace& trace) {
  if (!request.proof) return Done{};
  EvaluationRequest proof = request;
  proof.configuration = *request.proof;
  proof.proof.reset();
  Result<model::AccessTrace> small = trace_accesses(proof);
  if (!small) return Error{concat("at ", proof.configuration.name, " ", small.error().message)};
  model::add_proof(trace, std::move(*small));
  return Done{};
}

}  // namespace

ProgramSetting setting_of(const EvaluationRequest& request, const model::HardwareProfile& profile) {
  ProgramSetting setting;
  setting.configuration = request.configuration;
  setting.profile = profile;
  setting.flags = request.flags;
  setting.folder = request.folder;
  setting.start_folder = request.start_folder;
  setting.uses_harness = !request.plain;
  setting.sandbox = request.sandbox;
  setting.limits = request.limits;
  return setting;
}

Result<Verdict> evaluate(const EvaluationRequest& given) {
  EvaluationRequest request = completed(given);
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  // Before the cache is asked: for it, texts are equal that differ in comments, and markers are comments.
  Verdict text;
  text.findings = check_text({request.parent, request.candidate, request.rewritten});
  if (!text.passed()) return text;
  Result<std::optional<Verdict>> proved = prove(request);
  if (!proved) return proved.error();
  if (*proved && !(*proved)->passed()) {
    (*proved)->notes.push_back(concat("this is configuration ", request.proof->name, ", before the full size"));
    return **proved;
  }
  std::string setting = describe(request, *profile);
  std::string key = sha256(concat(setting, *proved ? to_json(**proved) : "", request.allow_lossy,
                                  digest_of(request.baseline), digest_of(request.parent), digest_of(request.candidate),
                                  request.rewritten, " ", request.first_seed, " ", request.seed_count, " ",
                                  request.calls, " ", request.limits.processor_s, " ", request.limits.memory_bytes, " ",
                                  request.limits.written_bytes, " ", request.with_nvcc, " ", request.repeat));
  if (std::optional<Verdict> known = find_verdict(request.cache, key)) return *known;
  if (request.sandbox) {
    RealProcessRunner processes;
    if (Status works = check_sandbox(processes); !works) return works.error();
  }
  Cascade cascade(request, *profile, setting, *proved);
  Result<Verdict> verdict = cascade.run();
  if (processes_interrupted()) return Error{"interrupted"};
  if (verdict && cascade.is_lasting()) request.cache.store("verdicts", key, to_json(*verdict));
  return verdict;
}

Result<TracedRun> trace_candidate(const EvaluationRequest& given) {
  EvaluationRequest request = completed(given);
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  std::string key =
      sha256(concat(describe(request, *profile), digest_of(request.baseline), digest_of(request.candidate)));
  if (std::optional<TracedRun> known = find_trace(request.cache, key)) return *known;
  Result<ConfinedProgram> program =
      ConfinedProgram::make(request.candidate, setting_of(request, *profile), request.tools);
  if (!program) return program.error();
  if (Status built = program->build(BuildKind::Timing); !built) return built.error();
  RunRequest run = timing_run(run_key_of(request, kTimingSeed));
  run.nudged = false;
  run.sample = request.configuration.purpose == Purpose::Full;
  run.trace = true;
  Result<RunOutcome> outcome = program->run(run);
  if (!outcome) return outcome.error();
  if (outcome->trace.empty() || outcome->report.timings.empty()) return Error{"the run left no trace"};
  TracedRun traced = traced_region(*std::move(outcome));
  request.cache.store("traces", key, concat(traced.begin_us, " ", traced.end_us, "\n", traced.trace));
  return traced;
}

Result<model::AccessTrace> trace_accesses(const EvaluationRequest& given) {
  // Plans follow from it, which must be the same on every machine; nobody's candidate takes part.
  EvaluationRequest request = given;
  request.input_key.clear();
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  // Places are lines, so comments count here.
  std::string texts;
  for (const SourceFile& file : request.baseline) texts += concat(file.name, " ", file.text.size(), "\n", file.text);
  if (request.proof) texts += join(program_arguments(*request.proof), " ");
  std::string key = sha256(concat(describe(request, *profile), texts));
  if (std::optional<std::string> known = request.cache.find("accesses", key))
    if (Result<model::AccessTrace> trace = model::parse_access_trace(*known)) return trace;
  Result<AccessRuns> runs = AccessRuns::make(request);
  if (!runs) return runs.error();
  Result<model::AccessTrace> trace = runs->trace(request.configuration);
  if (!trace) return Error{concat("the program cannot be traced: ", trace.error().message)};
  // A sampled run's inputs are hardly there, and it has its own order of blocks: smaller sizes tell whether these
  // matter.
  if (request.configuration.purpose != Purpose::Full) {
    add_repeats(*runs, *trace);
    trace->further = runs->trace_other_shapes(*trace);
  } else if (Status added = add_proof(request, *trace); !added) {
    return added.error();
  }
  request.cache.store("accesses", key, model::to_json(*trace));
  return trace;
}

Result<Capture> plain_outputs(const EvaluationRequest& request) {
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  Result<ConfinedProgram> program =
      ConfinedProgram::make(request.baseline, setting_of(request, *profile), request.tools);
  if (!program) return program.error();
  std::string key = sha256(concat(describe(request, *profile), digest_of(request.baseline)));
  Result<Reference> reference = find_reference(request, key, *program);
  if (!reference) return reference.error();
  return reference->captures.at(kTimingSeed);
}

std::vector<Result<Verdict>> evaluate_all(const std::vector<EvaluationRequest>& requests, uint32_t job_count) {
  std::vector<std::optional<Result<Verdict>>> verdicts(requests.size());
  run_in_order(static_cast<uint32_t>(requests.size()), job_count, [&](uint32_t i) {
    verdicts[i] = evaluate(requests[i]);
    return true;
  });
  std::vector<Result<Verdict>> all;
  for (std::optional<Result<Verdict>>& verdict : verdicts) all.push_back(std::move(*verdict));
  return all;
}

}  // namespace cuco::evaluate
