#include "evaluate/verification.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/judging/bound_note.h"
#include "evaluate/judging/communication.h"
#include "evaluate/judging/judge.h"
#include "evaluate/judging/work_share.h"
#include "evaluate/parallel.h"
#include "evaluate/plain/plain.h"

namespace cuco::evaluate {

namespace {

// Seeds are options of cuco: they come before what follows "--", which is the program's own.
std::string with_seed(const std::string& command, uint64_t seed) {
  return with_option(command, concat("--seed ", seed, " --seeds 1"));
}

}  // namespace

Result<Programs> Programs::make(const EvaluationRequest& request, const model::HardwareProfile& profile) {
  Result<ConfinedProgram> candidate = make_program(request, profile, request.candidate);
  if (!candidate) return candidate.error();
  if (is_same(request.candidate, request.baseline)) return Programs(std::move(*candidate), std::nullopt);
  Result<ConfinedProgram> baseline = make_program(request, profile, request.baseline);
  if (!baseline) return baseline.error();
  return Programs(std::move(*candidate), std::move(*baseline));
}

bool is_same(const std::vector<SourceFile>& a, const std::vector<SourceFile>& b) {
  return digest_of(a) == digest_of(b);
}

std::string with_option(const std::string& command, const std::string& option) {
  size_t own = std::min(command.find(" -- "), command.size());
  return concat(command.substr(0, own), " ", option, command.substr(own));
}

void add_findings(const std::vector<Finding>& found, std::vector<Finding>& all) {
  for (const Finding& finding : found) {
    bool known = std::any_of(all.begin(), all.end(), [&](const Finding& each) {
      return each.kind == finding.kind && each.rank == finding.rank && each.text == finding.text;
    });
    if (!known) all.push_back(finding);
  }
}

Finding build_finding(const std::string& message) {
  Finding finding;
  finding.level = Level::Built;
  finding.kind = "build";
  finding.text = message;
  return finding;
}

void refuse_time(const char* kind, const std::string& reason, Verdict& verdict) {
  verdict.reached = Level::Verified;
  verdict.timing.reset();
  Finding finding;
  finding.level = Level::Timed;
  finding.kind = kind;
  finding.text = reason;
  verdict.findings.push_back(finding);
}

void compare_times(const Timing& baseline, Verdict& verdict) {
  if (std::string reason = impossibility(*verdict.timing, baseline); !reason.empty())
    return refuse_time("impossible_time", reason, verdict);
  verdict.baseline_us = baseline.median_us;
  verdict.baseline_bound_us = baseline.bound_us();
  verdict.work = work_share(*verdict.timing, baseline);
  if (std::string note = note_below_bound(*verdict.timing, baseline); !note.empty()) verdict.notes.push_back(note);
}

void Verification::say(const std::string& what) const {
  if (request_.progress) request_.progress(what);
}

Result<Verdict> Verification::run() {
  verdict_.reached = Level::Built;
  Result<bool> verified = pass_verify();
  if (!verified) return verified.error();
  if (!*verified) return verdict_;
  if (Status timed = pass_time(); !timed) return timed.error();
  return verdict_;
}

Result<bool> Verification::pass_verify() {
  say("running the baseline");
  Result<Reference> reference = find_reference(request_, baseline_key(), programs_.baseline());
  if (!reference) return reference.error();
  reference_ = std::move(*reference);
  if (request_.plain && !pass_marks()) return false;
  Result<bool> passed = pass_schedules();
  while (passed && *passed && were_cut_ && call_longer()) passed = pass_schedules();
  if (passed && *passed) verdict_.reached = Level::Verified;
  return passed;
}

Result<bool> Verification::pass_schedules() {
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
bool Verification::call_longer() {
  if (!request_.plain || request_.calls > 0) return false;
  uint32_t calls = reference_.plain.at(request_.first_seed).calls;
  if (calls < kVerifiedCalls || calls >= kVerifiedCallsMax) return false;
  EvaluationRequest longer = request_;
  longer.calls = std::min(3 * calls, kVerifiedCallsMax);
  say(concat("running the baseline ", longer.calls, " times in a loop"));
  Result<Reference> reference = find_reference(longer, baseline_key(), programs_.baseline());
  if (!reference || reference->plain.at(request_.first_seed).calls <= calls) return false;
  reference_ = std::move(*reference);
  return true;
}

// Where the region of a plain baseline is repeated, so is the candidate's. What it reads after each call is what the
// timed run, which has no loop, reads in the end.
bool Verification::pass_marks() {
  uint64_t seed = request_.first_seed;
  if (!is_repeated(seed)) return true;
  if (const Result<PlainRegion>& region = programs_.candidate().region(); !region) {
    refuse_marks(region.error().message);
    return false;
  }
  if (!build_for_timing()) return false;
  timed_ = run_candidate(timing_run(run_key_of(request_, kTimingSeed)), kTimingSeed);
  if (*timed_) read_backs_ = chosen((*timed_)->report.read_backs, reference_.plain.at(seed).read);
  return true;
}

bool Verification::build_for_timing() {
  if (programs_.candidate().is_built(BuildKind::Timing)) return true;
  Status built = programs_.candidate().build(BuildKind::Timing);
  if (built) return true;
  verdict_ = {};
  verdict_.reached = Level::Text;
  verdict_.findings = {build_finding(built.error().message)};
  return false;
}

void Verification::refuse_marks(const std::string& reason) {
  Finding finding;
  finding.level = Level::Verified;
  finding.kind = "not_repeatable";
  finding.text = concat("the baseline's region can be called in a loop, the candidate's cannot: ", reason);
  verdict_.findings.push_back(finding);
}

// As often as the baseline called it.
vcluster::CallLoop Verification::loop_for(uint64_t seed) const {
  if (request_.plain) return {reference_.plain.at(seed).calls, reference_.plain.at(seed).calls};
  uint32_t calls = calls_of(reference_.captures.at(seed));
  return {calls, std::max(calls, kVerifiedCallsMax)};
}

// Called by several threads.
Result<Verification::JudgedRun> Verification::verify_with(uint64_t seed) {
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

// A candidate whose slots took more calls to come round is compared in all of them.
Result<Verification::Expected> Verification::expected_of(const RunOutcome& outcome, uint64_t seed) {
  uint32_t calls = outcome.report.calls;
  if (request_.plain || calls <= calls_of(reference_.captures.at(seed))) return usual_for(seed);
  std::lock_guard lock(longer_mutex_);
  Result<ReferenceRun> run = find_longer_run(request_, baseline_key(), programs_.baseline(), seed, calls);
  if (!run) return run.error();
  const ReferenceRun& kept = longer_[seed] = *std::move(run);
  return Expected{kept.capture, kept.traffic};
}

std::string Verification::baseline_key() const { return sha256(concat(key_, digest_of(request_.baseline))); }

RunRequest Verification::at_this_size(RunRequest run) const {
  run.configuration = &request_.configuration;
  return run;
}

// Called by several threads; what it reads of the reference does not change any more.
Result<RunOutcome> Verification::run_candidate(RunRequest run, uint64_t seed) {
  const Capture& expected = reference_.captures.at(seed);
  if (request_.plain) run.watches = watches_of(expected);
  if (request_.plain) run.perturbed = reference_.plain.at(seed).perturbed;
  if (request_.plain) run.own_device = reference_.plain.at(seed).own_device;
  Result<RunOutcome> outcome = programs_.candidate().run(at_this_size(std::move(run)));
  if (outcome && request_.plain) describe_candidate(outcome->capture, expected);
  return outcome;
}

// Outputs, and how the bytes travelled that they depend on.
std::vector<Finding> Verification::compare_run(const RunOutcome& outcome, const Expected& expected, Level level) const {
  const model::Traffic& seen = outcome.report.traffic;
  std::vector<Finding> findings = judge_outputs(expected.capture, outcome.capture, level);
  std::ranges::move(find_ways_around(expected.traffic, seen), std::back_inserter(findings));
  if (level == Level::Verified)
    std::ranges::move(find_missing_data(expected.traffic, seen), std::back_inserter(findings));
  return findings;
}

// What checkers find in the original under the same schedule is its own and rejects nobody. Asked for only when they
// found something in the candidate.
const std::vector<Finding>& Verification::original_findings(uint64_t seed) {
  std::lock_guard lock(originals_mutex_);
  auto [known, is_new] = originals_.try_emplace(seed);
  if (!is_new) return known->second;
  ConfinedProgram& baseline = programs_.baseline();
  if (!baseline.is_built(BuildKind::Checking) && !baseline.build(BuildKind::Checking)) return known->second;
  RunRequest run = at_this_size(verifying_run(seed, run_key_of(request_, seed), BuildKind::Checking));
  run.loop = loop_for(seed);
  run.perturbed = reference_.plain.at(seed).perturbed;
  run.own_device = reference_.plain.at(seed).own_device;
  if (Result<RunOutcome> outcome = baseline.run(run)) known->second = findings_of(*outcome, Level::Verified, seed);
  for (const Finding& finding : known->second)
    if (finding.is_error()) own_faults_.insert(concat(finding.kind, ": ", split(finding.text, '\n')[0]));
  return known->second;
}

std::vector<Finding> Verification::judge_run(const RunOutcome& outcome, const Expected& expected, Level level,
                                             uint64_t seed) {
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

std::vector<Finding> Verification::judge_outputs(const Capture& expected, const Capture& seen, Level level) const {
  std::vector<Finding> findings = compare(expected, seen);
  bool may_round = request_.allow_lossy || request_.plain || level != Level::Timed;
  return findings.empty() && !may_round ? compare_changes(expected, seen, kNudgedIterations) : findings;
}

// The timed run is judged as well: what is fast must be right, in the same run.
Status Verification::pass_time() {
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
  if (!programs_.are_one() && reference_.timing) compare_times(*reference_.timing, verdict_);
  return Done{};
}

void Verification::add_notes() {
  for (const std::string& fault : own_faults_) verdict_.notes.push_back(concat("the original's own: ", fault));
  uint32_t calls = calls_of(reference_.captures.at(request_.first_seed));
  if (request_.plain)
    verdict_.notes.push_back(plain_note(reference_.captures.at(kTimingSeed), reference_.plain.at(request_.first_seed)));
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

}  // namespace cuco::evaluate
