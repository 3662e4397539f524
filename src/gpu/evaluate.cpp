#include "gpu/evaluate.h"

#include <algorithm>

#include "base/text.h"
#include "evaluate/judging/judge.h"
#include "evaluate/reference.h"
#include "evaluate/sizes/proof_sizes.h"
#include "gpu/judge.h"
#include "gpu/plain.h"
#include "gpu/reference.h"

namespace cuco::gpu {

namespace {

using evaluate::Finding;
using evaluate::Level;
using evaluate::Verdict;

class Cascade {
 public:
  Cascade(const GpuRequest& request, Session& session, const Toolchain& toolchain)
      : request_(request), session_(session), toolchain_(toolchain) {}

  Result<Verdict> run() {
    CUCO_CHECK(pass_check());
    verdict_.executor = to_text(request_.session.executor);
    if (!verdict_.passed()) return verdict_;
    CUCO_TRY(Program candidate, request_.built ? *request_.built : make(request_.request.candidate));
    say("building with nvcc");
    CUCO_CHECK(candidate.build_runner());
    if (Status built = candidate.build(); !built) return refuse_build(built.error().message);
    machine_ = machine_text(request_, session_, toolchain_);
    CUCO_TRY(Reference reference, find_baseline(candidate));
    CUCO_CHECK(find_types());
    if (is_baseline()) {
      record(reference.before, reference.after, reference.network, reference);
      return accept(reference.timing, reference);
    }
    return time_candidate(candidate, reference);
  }

 private:
  void say(const std::string& what) const {
    if (request_.request.progress) request_.request.progress(what);
  }
  bool is_baseline() const {
    return request_.variables.empty() &&
           evaluate::digest_of(request_.request.candidate) == evaluate::digest_of(request_.request.baseline);
  }

  // On the virtual cluster. Its times are of another machine and are dropped.
  Status pass_check() {
    verdict_.reached = Level::Verified;
    if (request_.skip_check) return Done{};
    evaluate::EvaluationRequest check = request_.request;
    check.with_nvcc = false;  // Built with it here, for these GPUs.
    CUCO_TRY(verdict_, evaluate::evaluate(check));
    verdict_.timing.reset();
    verdict_.baseline_us.reset();
    verdict_.baseline_bound_us.reset();
    verdict_.notes.clear();
    if (verdict_.passed()) verdict_.reached = Level::Verified;
    return Done{};
  }

  Result<Program> make(const std::vector<SourceFile>& files) const {
    return Program::make(files, setting_of(request_), request_.request.tools, toolchain_,
                         session_.devices().front().architecture, request_.request.cache);
  }

  Verdict refuse_build(const std::string& message) {
    verdict_.reached = Level::Text;
    Finding finding;
    finding.level = Level::Built;
    finding.kind = "nvcc";
    finding.text = message;
    verdict_.findings = {finding};
    return verdict_;
  }

  // The baseline is built a second time only when it is not the candidate.
  Result<Reference> find_baseline(Program& candidate) {
    say("running the baseline");
    if (is_baseline()) return find_reference(request_, machine_, candidate, session_);
    CUCO_TRY(Program program, make(request_.request.baseline));
    return find_reference(request_, machine_, program, session_);
  }

  Result<Verdict> time_candidate(const Program& candidate, const Reference& reference) {
    say("timing");
    RunRequest run = timed_run(request_, region_limit_s(reference.timing));
    run.variables = request_.variables;
    CUCO_TRY(RunOutcome outcome, candidate.run(run, session_));
    std::vector<Finding> findings = findings_of(outcome, request_.request.candidate);
    if (findings.empty()) findings = compare_outputs(described(reference.capture), described(outcome.capture));
    for (Finding& finding : findings) finding.repeat = request_.repeat;
    verdict_.findings.insert(verdict_.findings.end(), findings.begin(), findings.end());
    record(outcome.before, outcome.after, outcome.network, reference);
    if (!findings.empty()) return verdict_;
    evaluate::Timing timing = timing_of(outcome);
    timing.bound_compute_us = reference.timing.bound_compute_us;
    timing.bound_communication_us = reference.timing.bound_communication_us;
    CUCO_CHECK(take_own_bound(candidate, timing));
    verdict_.baseline_us = reference.timing.median_us;
    return accept(timing, reference);
  }

  // Of what a program without the harness copies to the host.
  Status find_types() {
    if (!request_.request.plain) return Done{};
    evaluate::EvaluationRequest small = request_.request;
    if (small.is_sampled()) {
      CUCO_TRY(small, evaluate::at_proof_size(request_.request, request_.request.proofs.front()));
    }
    CUCO_TRY(known_, evaluate::baseline_outputs(small));
    return Done{};
  }
  evaluate::Capture described(evaluate::Capture capture) const {
    describe_copies(capture, known_);
    return capture;
  }

  // Of a candidate whose kernels run in another form than the baseline's.
  Status take_own_bound(const Program& candidate, evaluate::Timing& timing) {
    if (timing.median_us >= request_.bound_below_us) return Done{};
    CUCO_TRY(double alone, time_alone(request_, candidate, session_, Variant::WithoutCommunication, timing));
    if (alone > 0) timing.bound_compute_us = alone;
    return Done{};
  }

  std::vector<Finding> compare_outputs(const evaluate::Capture& baseline, const evaluate::Capture& candidate) {
    std::vector<Finding> findings;
    for (Finding finding : evaluate::compare(baseline, candidate)) {
      finding.level = Level::Timed;
      findings.push_back(finding);
    }
    for (const evaluate::CapturedOutput& output : candidate) {
      if (!output.changed_after_return) continue;
      Finding finding;
      finding.level = Level::Timed;
      finding.kind = "leaking_work";
      finding.rank = static_cast<int>(output.rank);
      finding.text = concat("output ", output.name, " of rank ", output.rank,
                            " changes after the region returned in iteration ", output.iteration);
      findings.push_back(finding);
      break;
    }
    return findings;
  }

  void record(const DeviceState& before, const DeviceState& after, const std::optional<evaluate::NetworkUse>& network,
              const Reference& reference) {
    evaluate::Measurement measurement;
    measurement.machine = machine_;
    for (const auto& [name, value] : request_.variables) measurement.machine += concat(", ", name, "=", value);
    measurement.iterations = request_.iterations;
    measurement.before = clocks_of(before);
    measurement.after = clocks_of(after);
    measurement.network = network;
    if (!is_baseline()) {
      measurement.baseline = reference.timing;
      measurement.baseline_network = reference.network;
    }
    verdict_.measurement = measurement;
  }

  Verdict accept(const evaluate::Timing& timing, const Reference& reference) {
    verdict_.timing = timing;
    verdict_.reached = Level::Timed;
    if (request_.request.plain) verdict_.notes.push_back(plain_note(reference));
    if (reference.capture_sampled)
      verdict_.notes.push_back(
          "outputs are too large to compare whole in every iteration: blocks at drawn places were");
    if (std::string doubt = evaluate::timing_doubt(verdict_); !doubt.empty())
      verdict_.notes.push_back("not valid for timing: " + doubt);
    if (timing.bound_us() == 0) verdict_.notes.push_back("no bound: neither half of the baseline runs alone");
    if (!is_baseline() && !is_faster(timing, reference.timing) && !is_faster(reference.timing, timing))
      verdict_.notes.push_back("as fast as the baseline: the difference is within the spread");
    return verdict_;
  }

  static std::string plain_note(const Reference& reference) {
    return concat(
        "the program has no harness: its inputs are its own, ",
        reference.capture.empty()
            ? "and none of its outputs can be told apart there, so they were compared on the virtual cluster only"
            : "and what it copies to the host is compared");
  }

  const GpuRequest& request_;
  Session& session_;
  const Toolchain& toolchain_;
  evaluate::Capture known_;  // Of a program without the harness: what its outputs are.
  std::string machine_;
  Verdict verdict_;
};

GpuRequest completed(GpuRequest request) {
  if (request.request.parent.empty()) request.request.parent = request.request.baseline;
  if (request.request.candidate.empty()) request.request.candidate = request.request.baseline;
  return request;
}

}  // namespace

Status check_request(const GpuRequest& request) {
  if (!request.session.hosts.empty() && request.request.sandbox)
    return Error{
        "ranks on other hosts cannot be confined by the sandbox of this one; give --no-sandbox for programs "
        "that you trust"};
  return Done{};
}

Result<evaluate::Verdict> evaluate(const GpuRequest& given, Session& session, const Toolchain& toolchain) {
  GpuRequest request = completed(given);
  CUCO_CHECK(check_request(request));
  if (session.devices().empty()) return Error{"the session has no GPU"};
  return Cascade(request, session, toolchain).run();
}

bool is_faster(const evaluate::Timing& candidate, const evaluate::Timing& baseline) {
  return baseline.median_us - candidate.median_us > std::max(candidate.spread_us, baseline.spread_us);
}

}  // namespace cuco::gpu
