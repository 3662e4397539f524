#include "evaluate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <sstream>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/access_runs.h"
#include "evaluate/judging/sampled_runs.h"
#include "evaluate/judging/work_share.h"
#include "evaluate/parallel.h"
#include "evaluate/reference.h"
#include "evaluate/sandbox.h"
#include "evaluate/sizes/proof_sizes.h"
#include "evaluate/text/text_check.h"
#include "evaluate/verification.h"
#include "model/profile_toml.h"

namespace cuco::evaluate {

namespace {

std::string describe(const EvaluationRequest& request, const model::HardwareProfile& profile) {
  const Configuration& configuration = request.configuration;
  std::string text = concat(request.tools.version(), "\n", request.is_sampled(), " ", configuration.rank_count, " ",
                            configuration.node_count, " ", request.plain, " ", request.input_key, "\n",
                            model::to_toml(profile), model::to_text(request.flags));
  for (const std::string& argument : program_arguments(configuration)) text += concat(argument, "\n");
  return concat(text, request.folder.string(), "\n", request.start_folder.string(), "\n");
}

std::string describe(const std::vector<ProofSize>& sizes) {
  std::string text;
  for (const ProofSize& size : sizes) {
    text += concat(join(program_arguments(size.configuration), " "), "\n");
    for (const ConstantChange& each : size.constants)
      text += concat(each.file, " ", each.declaration, " ", each.before, " ", each.after, "\n");
  }
  return text;
}

// "m=128 n=64", as --proof takes it.
std::string option_text(const ProofSize& size) {
  return replace_all(size.shrunk.substr(0, size.shrunk.find(" (of ")), ",", "");
}

// The request where candidates are executed whole: at this size alone.
Result<EvaluationRequest> at_size(const EvaluationRequest& request, const ProofSize& size) {
  Result<EvaluationRequest> at = at_proof_size(request, size);
  if (!at) return at;
  at->proofs.clear();
  if (!at->repeat.empty() && !size.shrunk.empty())
    at->repeat = with_option(at->repeat, concat("--proof \"", option_text(size), "\""));
  return at;
}

// One candidate on its way through the levels after the text's. Each level returns false when the candidate did not
// pass it; an error is of the request.
class Cascade {
 public:
  Cascade(const EvaluationRequest& request, const model::HardwareProfile& profile, std::string key)
      : request_(request), profile_(profile), key_(std::move(key)) {}

  Result<Verdict> run() {
    Result<bool> built = pass_build();
    if (!built) return built.error();
    if (!*built) return verdict_;
    std::future<std::optional<Finding>> nvcc = std::async(std::launch::async, [this] { return build_with_nvcc(); });
    Result<bool> proved = pass_proofs();
    std::optional<Finding> refused = nvcc.get();
    if (!proved) return proved.error();
    if (refused) {
      verdict_ = {};
      verdict_.reached = Level::Text;
      verdict_.findings = {*refused};
      return verdict_;
    }
    if (*proved && request_.is_sampled())
      if (Status timed = time_case(); !timed) return timed.error();
    if (*proved && !nvcc_note_.empty()) verdict_.notes.insert(verdict_.notes.begin(), nvcc_note_);
    return verdict_;
  }

  // What this machine may have caused is not remembered.
  bool is_lasting() const { return is_lasting_ && (!programs_ || !programs_->hit_limit()); }

 private:
  void say(const std::string& what) const {
    if (request_.progress) request_.progress(what);
  }

  // The seeds are dealt out over the sizes, the first ones to the first. Those of a size that turns out to be none are
  // dealt out again over the others.
  Result<bool> pass_proofs() {
    std::vector<ProofSize> sizes = request_.proofs;
    if (sizes.empty()) sizes.push_back({request_.configuration});
    EvaluationRequest part = request_;
    for (uint32_t left = request_.seed_count; left > 0;) {
      std::vector<ProofSize> good;
      uint32_t open = left;
      for (uint32_t i = 0; i < sizes.size(); i++) {
        auto count = static_cast<uint32_t>(sizes.size());
        part.seed_count = open / count + (i < open % count);
        if (part.seed_count == 0) break;
        Result<Proof> proof = pass_proof(part, sizes[i]);
        if (!proof) return proof.error();
        if (*proof == Proof::Fails) return false;
        part.first_seed += part.seed_count;
        if (*proof == Proof::IsNone) continue;
        good.push_back(sizes[i]);
        left -= part.seed_count;
      }
      sizes = std::move(good);
      if (sizes.empty()) return Error{verdict_.notes.back()};
    }
    return true;
  }

  enum class Proof : uint8_t { Holds, Fails, IsNone };

  Result<Proof> pass_proof(const EvaluationRequest& part, const ProofSize& size) {
    Result<EvaluationRequest> request = at_size(part, size);
    if (!request) {
      refuse_build(concat("at ", size.shrunk, ": ", request.error().message));
      return Proof::Fails;
    }
    std::optional<Programs> changed;
    if (!size.constants.empty()) {
      Result<Programs> made = Programs::make(*request, profile_);
      if (!made) return made.error();
      changed.emplace(std::move(*made));
      Result<bool> built = pass_builds(*request, *changed, true);
      if (!built) return built.error();
      if (!*built) return Proof::Fails;
    }
    Programs& programs = changed ? *changed : *programs_;
    Result<Verdict> verdict = Verification(*request, describe(*request, profile_), programs).run();
    is_lasting_ = is_lasting_ && !programs.hit_limit();
    if (!verdict)
      return Error{concat(size.shrunk.empty() ? "" : concat("at ", size.shrunk, ": "), verdict.error().message)};
    if (!verdict->passed() && request_.plain && !size.shrunk.empty() && !programs.are_one())
      if (std::string fault = own_fault(*request); !fault.empty()) {
        verdict_.notes.push_back(concat("at ", size.shrunk, " the original does not pass itself (", fault,
                                        "), so that nothing is proved there"));
        return Proof::IsNone;
      }
    take_proof(*std::move(verdict), size);
    return verdict_.passed() ? Proof::Holds : Proof::Fails;
  }

  // Of the original, judged as a candidate is, under the same schedules: a size that it was not written for says
  // nothing about others. Empty: it passes.
  std::string own_fault(EvaluationRequest request) const {
    say("judging the original by itself");
    request.candidate = request.parent = request.baseline;
    Result<Programs> programs = Programs::make(request, profile_);
    if (!programs || !programs->candidate().build(BuildKind::Checking)) return "";
    Result<Verdict> verdict = Verification(request, describe(request, profile_), *programs).run();
    if (!verdict || verdict->passed()) return "";
    auto is_error = [](const Finding& finding) { return finding.is_error(); };
    const Finding& first = *std::ranges::find_if(verdict->findings, is_error);
    return concat(first.kind, ": ", split(first.text, '\n')[0]);
  }

  // What the sizes say together. Time is of the case alone.
  void take_proof(Verdict proved, const ProofSize& size) {
    verdict_.schedules_run += proved.schedules_run;
    add_findings(proved.findings, verdict_.findings);
    for (const std::string& note : proved.notes)
      if (std::ranges::find(verdict_.notes, note) == verdict_.notes.end()) verdict_.notes.push_back(note);
    bool is_first = verdict_.reached < Level::Verified;
    if (is_first || !proved.passed()) verdict_.reached = std::min(proved.reached, Level::Verified);
    if (is_first) verdict_.traffic = std::move(proved.traffic), verdict_.work = proved.work;
    bool is_new = std::ranges::find(verdict_.proved_at, size.shrunk) == verdict_.proved_at.end();
    if (!size.shrunk.empty() && proved.passed() && is_new) verdict_.proved_at.push_back(size.shrunk);
    if (!size.shrunk.empty() && !proved.passed()) verdict_.notes.push_back(concat("found at ", size.shrunk));
    if (!size.shrunk.empty() || !proved.timing) return;
    verdict_.reached = proved.reached;
    verdict_.timing = std::move(proved.timing);
    verdict_.baseline_us = proved.baseline_us;
    verdict_.baseline_bound_us = proved.baseline_bound_us;
  }

  Status time_case() {
    say("timing by block sampling");
    Result<SampledTime> baseline = find_sampled_time(request_, baseline_key(), programs_->baseline());
    if (!baseline) return baseline.error();
    if (!baseline->limit.empty()) {
      verdict_.notes.push_back(concat("the case is not timed: the original cannot be run there, ", baseline->limit));
      return Done{};
    }
    if (programs_->are_one()) {
      take_time(*baseline);
      return Done{};
    }
    Result<SampledTime> time =
        find_candidate_time(request_, baseline_key(), programs_->candidate(), baseline->exit_code);
    if (!time) return time.error();
    take_time(*time);
    if (!time->timing) return Done{};
    std::string missing = missing_work(work_share(*time->timing, *baseline->timing), verdict_.work);
    if (missing.empty())
      compare_times(*baseline->timing, verdict_);
    else
      refuse_time("missing_work", missing, verdict_);
    if (!verdict_.timing || request_.plain) return Done{};
    if (verdict_.timing->median_us < request_.compared_below_us.value_or(INFINITY)) return compare_results();
    verdict_.notes.push_back(
        concat("results at full size were not compared: others take ", *request_.compared_below_us, " us or less"));
    return Done{};
  }

  Status compare_results() {
    say("comparing what blocks computed");
    Result<SampledVerdict> judged =
        judge_sampled(request_, baseline_key(), programs_->baseline(), programs_->candidate());
    if (!judged) return judged.error();
    verdict_.notes.push_back(judged->note);
    if (judged->findings.empty()) return Done{};
    verdict_.reached = Level::Verified;
    verdict_.timing.reset();
    std::ranges::move(judged->findings, std::back_inserter(verdict_.findings));
    return Done{};
  }

  void take_time(const SampledTime& time) {
    add_findings(time.findings, verdict_.findings);
    verdict_.notes.insert(verdict_.notes.end(), time.notes.begin(), time.notes.end());
    verdict_.timing = time.timing;
    verdict_.reached = time.timing ? Level::Timed : Level::Verified;
  }

  std::string baseline_key() const { return sha256(concat(key_, digest_of(request_.baseline))); }

  Result<bool> pass_build() {
    say("building");
    verdict_.reached = Level::Text;
    Result<Programs> programs = Programs::make(request_, profile_);
    if (!programs) return programs.error();
    programs_.emplace(std::move(*programs));
    // Texts with other constants are built where they are run.
    bool is_run_whole = request_.proofs.empty() || std::ranges::any_of(request_.proofs, &has_own_text);
    Result<bool> built = pass_builds(request_, *programs_, is_run_whole);
    if (!built || !*built) return built;
    Result<bool> is_fair = pass_imports(is_run_whole ? BuildKind::Checking : BuildKind::Timing);
    if (is_fair && *is_fair) verdict_.reached = Level::Built;
    return is_fair;
  }

  static bool has_own_text(const ProofSize& size) { return size.constants.empty(); }

  Result<bool> pass_builds(const EvaluationRequest& request, Programs& programs, bool for_checking) {
    std::vector<BuildKind> kinds = {BuildKind::Timing};
    if (for_checking) kinds.insert(kinds.begin(), BuildKind::Checking);
    // The timing build can wait until the candidate is verified, if there is no core for it at once.
    std::vector<std::optional<Status>> built(request.job_count > 1 ? kinds.size() : 1);
    run_in_order(static_cast<uint32_t>(built.size()), request.job_count, [&](uint32_t i) {
      built[i] = programs.candidate().build(kinds[i]);
      return built[i]->ok();
    });
    for (const std::optional<Status>& each : built) {
      if (each->ok()) continue;
      refuse_build(each->error().message);
      return false;
    }
    return true;
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
  Result<std::string> undue_import(BuildKind kind) {
    const std::vector<std::string>& asked = programs_->candidate().unusual_imports(kind);
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
    Result<ConfinedProgram> program = make_program(request_, profile_, files);
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
    verdict_.findings = {build_finding(message)};
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
    Status built = programs_->candidate().build_with_nvcc(folders);
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

  const EvaluationRequest& request_;
  const model::HardwareProfile& profile_;
  std::string key_;
  std::optional<Programs> programs_;
  bool is_lasting_ = true;
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

// What the case shows of some of its blocks has to hold where all of them run. The first size is seen with others
// around it.
Status add_proofs(const EvaluationRequest& request, const AccessRuns& runs, model::AccessTrace& trace) {
  for (const ProofSize& size : request.proofs) {
    Result<EvaluationRequest> at = at_size(request, size);
    if (!at) return at.error();
    bool is_first = &size == &request.proofs.front();
    Result<model::AccessTrace> small =
        is_first || !size.constants.empty() ? trace_accesses(*at) : runs.trace(size.configuration);
    if (!small) return Error{concat("at ", size.shrunk, ": ", small.error().message)};
    model::add_proof(trace, std::move(*small));
  }
  return Done{};
}

}  // namespace

ProgramSetting setting_of(const EvaluationRequest& request, const model::HardwareProfile& profile) {
  ProgramSetting setting;
  setting.configuration = request.configuration;
  setting.marks_bodies = request.is_sampled();
  setting.profile = profile;
  setting.flags = request.flags;
  setting.folder = request.folder;
  setting.start_folder = request.start_folder;
  setting.uses_harness = !request.plain;
  setting.sandbox = request.sandbox;
  setting.limits = request.limits;
  setting.cache = request.cache;
  return setting;
}

namespace {

// Of a plain request's baseline.
Result<PlainRegion> find_region(const EvaluationRequest& request, const model::HardwareProfile& profile) {
  std::string texts;
  for (const SourceFile& file : request.baseline) texts += concat(file.name, " ", file.text.size(), "\n", file.text);
  std::string key = sha256(concat("with last\n", model::to_text(request.flags), texts));
  if (std::optional<std::string> known = request.cache.find("regions", key)) return parse_plain_region(*known);
  Result<ConfinedProgram> program =
      ConfinedProgram::make(request.baseline, setting_of(request, profile), request.tools);
  if (!program) return program.error();
  Result<PlainRegion> region = program->find_region();
  if (region) request.cache.store("regions", key, to_text(*region));
  return region;
}

const SourceFile* file_named(const std::vector<SourceFile>& files, const std::string& name) {
  auto found = std::ranges::find(files, name, &SourceFile::name);
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

Result<ConfinedProgram> make_program(const EvaluationRequest& request, const model::HardwareProfile& profile,
                                     const std::vector<SourceFile>& files) {
  Result<ConfinedProgram> program = ConfinedProgram::make(files, setting_of(request, profile), request.tools);
  if (!program || !request.plain) return program;
  Result<PlainRegion> region = find_region(request, profile);
  if (region) {
    const SourceFile *original = file_named(request.baseline, region->file), *made = file_named(files, region->file);
    if (original && made)
      region = carried_over(*region, original->text, made->text);
    else
      region = Error{concat("its region stands in ", region->file, ", which it does not have")};
  }
  program->mark(std::move(region));
  return program;
}

Result<Verdict> evaluate(const EvaluationRequest& given) {
  EvaluationRequest request = completed(given);
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  // Before the cache is asked: for it, texts are equal that differ in comments, and markers are comments.
  Verdict text;
  text.findings = check_text({request.parent, request.candidate, request.rewritten});
  if (!text.passed()) return text;
  std::string setting = describe(request, *profile);
  std::string key =
      sha256(concat(setting, describe(request.proofs), request.allow_lossy, digest_of(request.baseline),
                    digest_of(request.parent), digest_of(request.candidate), request.rewritten, " ", request.first_seed,
                    " ", request.seed_count, " ", request.calls, " ", request.limits.processor_s, " ",
                    request.limits.memory_bytes, " ", request.limits.written_bytes, " ", request.with_nvcc, " ",
                    request.repeat, " ", request.compared_below_us.value_or(INFINITY)));
  if (std::optional<Verdict> known = find_verdict(request.cache, key)) return *known;
  if (request.sandbox) {
    RealProcessRunner processes;
    if (Status works = check_sandbox(processes); !works) return works.error();
  }
  Cascade cascade(request, *profile, setting);
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
  Result<ConfinedProgram> program = make_program(request, *profile, request.candidate);
  if (!program) return program.error();
  if (Status built = program->build(BuildKind::Timing); !built) return built.error();
  std::string run_key = run_key_of(request, kTimingSeed);
  RunRequest run = request.is_sampled() ? sampled_run(run_key) : timing_run(run_key);
  run.nudged = false;
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
  texts += describe(request.proofs);
  std::string key = sha256(concat(describe(request, *profile), texts));
  if (std::optional<std::string> known = request.cache.find("accesses", key))
    if (Result<model::AccessTrace> trace = model::parse_access_trace(*known)) return trace;
  Result<AccessRuns> runs = AccessRuns::make(request);
  if (!runs) return runs.error();
  Result<model::AccessTrace> trace =
      request.is_sampled() ? runs->trace_sampled(request.configuration) : runs->trace(request.configuration);
  if (!trace) return Error{concat("the program cannot be traced: ", trace.error().message)};
  // A sampled run's inputs are hardly there, and it has its own order of blocks: smaller sizes tell whether these
  // matter.
  if (!request.is_sampled()) {
    add_repeats(*runs, *trace);
    trace->further = runs->trace_other_shapes(*trace);
  } else if (Status added = add_proofs(request, *runs, *trace); !added) {
    return added.error();
  }
  request.cache.store("accesses", key, model::to_json(*trace));
  return trace;
}

Result<Capture> baseline_outputs(const EvaluationRequest& request) {
  Result<model::HardwareProfile> profile = profile_of(request.configuration, request.tools.share / "profiles");
  if (!profile) return profile.error();
  Result<ConfinedProgram> program = make_program(request, *profile, request.baseline);
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
