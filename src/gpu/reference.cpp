#include "gpu/reference.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "evaluate/judging/judge.h"
#include "evaluate/reference.h"
#include "gpu/judge.h"
#include "gpu/nccl_library.h"
#include "model/network.h"

namespace cuco::gpu {

namespace {

using evaluate::Capture;
using evaluate::Finding;

constexpr uint32_t kBoundIterations = 5;

std::string key_of(const GpuRequest& request, const std::string& machine) {
  const evaluate::Configuration& configuration = request.request.configuration;
  std::string text = concat(machine, "\n", request.request.tools.version(), "\n", configuration.rank_count, " ",
                            configuration.node_count, " ", request.iterations, "\n",
                            model::to_text(request.request.flags), request.request.folder.string(), "\n");
  for (const std::string& argument : evaluate::program_arguments(configuration)) text += concat(argument, "\n");
  return sha256(concat(text, request.request.input_key, evaluate::digest_of(request.request.baseline)));
}

// The timing goes through a verdict, which has a text form; so does whether outputs are whole.
std::string encode(const Reference& reference) {
  evaluate::Verdict verdict;
  verdict.timing = reference.timing;
  if (reference.capture_sampled) verdict.notes = {"sampled"};
  verdict.measurement = evaluate::Measurement{};
  verdict.measurement->before = clocks_of(reference.before);
  verdict.measurement->after = clocks_of(reference.after);
  verdict.measurement->network = reference.network;
  return evaluate::to_json(verdict);
}

// A file a rank: together they are larger than one file of the cache may be.
void store(const evaluate::Cache& cache, const std::string& key, const Reference& reference, uint32_t rank_count) {
  std::vector<std::string> outputs(rank_count);
  for (const evaluate::CapturedOutput& output : reference.capture) outputs[output.rank] += vcluster::to_record(output);
  for (uint32_t rank = 0; rank < rank_count; rank++) cache.store("gpu_outputs", concat(key, "-", rank), outputs[rank]);
  cache.store("gpu_times", key, encode(reference));
}

bool take_outputs(const evaluate::Cache& cache, const std::string& key, uint32_t rank, Capture& capture) {
  std::optional<std::string> bytes = cache.find("gpu_outputs", concat(key, "-", rank));
  if (!bytes) return false;
  Result<Capture> found = vcluster::parse_capture(*bytes, "cached outputs");
  if (!found) return false;
  std::move(found->begin(), found->end(), std::back_inserter(capture));
  return true;
}

std::optional<Reference> find(const evaluate::Cache& cache, const std::string& key, uint32_t rank_count) {
  std::optional<std::string> text = cache.find("gpu_times", key);
  if (!text) return std::nullopt;
  evaluate::Verdict verdict = evaluate::verdict_from_json(*text);
  if (!verdict.timing || !verdict.measurement) return std::nullopt;
  Reference reference;
  reference.timing = *verdict.timing;
  reference.capture_sampled = !verdict.notes.empty();
  reference.before = state_from(verdict.measurement->before);
  reference.after = state_from(verdict.measurement->after);
  reference.network = verdict.measurement->network;
  for (uint32_t rank = 0; rank < rank_count; rank++)
    if (!take_outputs(cache, key, rank, reference.capture)) return std::nullopt;
  return reference;
}

Status take_bounds(const GpuRequest& request, Program& program, Session& session, evaluate::Timing& timing) {
  CUCO_TRY(double compute, time_alone(request, program, session, Variant::WithoutCommunication, timing));
  CUCO_TRY(double communication, time_alone(request, program, session, Variant::WithoutKernels, timing));
  take_halves(compute, communication, timing);
  return Done{};
}

// A program without the harness may copy nothing to the host: the virtual cluster alone compares its outputs then.
Result<Reference> take(RunOutcome outcome, const GpuRequest& request) {
  std::vector<Finding> findings = findings_of(outcome, request.request.baseline);
  bool has_outputs = !request.request.plain || !outcome.capture.empty();
  if (findings.empty() && has_outputs) findings = evaluate::judge_baseline(outcome.capture);
  if (!findings.empty())
    return Error{concat("the baseline does not pass on the GPU, so there is nothing to compare with: ",
                        findings[0].kind, ": ", findings[0].text)};
  Reference reference;
  reference.timing = timing_of(outcome);
  reference.capture = std::move(outcome.capture);
  reference.capture_sampled = outcome.capture_sampled;
  reference.before = outcome.before;
  reference.after = outcome.after;
  reference.network = outcome.network;
  return reference;
}

}  // namespace

evaluate::ClockState clocks_of(const DeviceState& state) {
  return {state.multiprocessor_mhz, state.memory_mhz, state.temperature_c, state.power_w, state.throttled};
}

DeviceState state_from(const evaluate::ClockState& clocks) {
  return {clocks.multiprocessor_mhz, clocks.memory_mhz, clocks.temperature_c, clocks.power_w, clocks.throttled};
}

std::string machine_text(const GpuRequest& request, const Session& session, const Toolchain& toolchain) {
  const std::vector<Device>& devices = session.devices();
  std::string text = concat(request.request.configuration.rank_count, " ranks on ", counted(devices.size(), "GPU"));
  if (!devices.empty())
    text += concat(", ", devices[0].name, " (", devices[0].architecture, "), driver ", devices[0].driver);
  text += concat(", CUDA ", toolchain.cuda, ", NCCL ", nccl_version_text(toolchain.nccl_version), ", ", toolchain.mpi);
  // What names places of this session only is no part of the machine.
  for (const auto& [name, value] : session.variables())
    if (value.find('/') == value.npos) text += concat(", ", name, "=", value);
  if (session.nic_plugin())
    text += concat(", ", request.request.configuration.node_count, " emulated nodes, network ",
                   request.session.network ? model::to_text(*request.session.network) : "of the NIC's default");
  return text;
}

uint32_t region_limit_s(const evaluate::Timing& baseline) {
  constexpr double kTimesAsLong = 20;
  constexpr uint32_t kLeast = 3;  // Code is loaded in the first call.
  return kLeast + static_cast<uint32_t>(kTimesAsLong * baseline.median_us * 1e-6);
}

Result<double> time_alone(const GpuRequest& request, const Program& program, Session& session, Variant variant,
                          const evaluate::Timing& whole) {
  RunRequest run = timed_run(request, region_limit_s(whole));
  run.capture = false;
  run.iterations = kBoundIterations;
  CUCO_TRY(RunOutcome outcome, program.run(run, session, variant));
  return outcome.end == "ok" ? timing_of(outcome).median_us : 0.0;
}

void take_halves(double compute_us, double communication_us, evaluate::Timing& timing) {
  timing.bound_compute_us = std::min(compute_us, timing.median_us);
  timing.bound_communication_us = communication_us < timing.median_us ? communication_us : 0;
}

RunRequest timed_run(const GpuRequest& request, uint32_t region_limit) {
  constexpr uint32_t kStartS = 60;
  RunRequest run;
  run.region_limit_s = region_limit;
  run.run_key = evaluate::run_key_of(request.request, evaluate::kTimingSeed);
  run.iterations = request.iterations;
  run.limit_s = kStartS + (run.warmups + run.iterations) * region_limit;
  return run;
}

evaluate::ProgramSetting setting_of(const GpuRequest& request) {
  evaluate::ProgramSetting setting;
  setting.configuration = request.request.configuration;
  setting.flags = request.request.flags;
  setting.folder = request.request.folder;
  setting.uses_harness = !request.request.plain;
  setting.sandbox = request.request.sandbox;
  setting.limits = request.request.limits;
  return setting;
}

Result<Reference> find_reference(const GpuRequest& request, const std::string& machine, Program& program,
                                 Session& session) {
  const evaluate::EvaluationRequest& of_both = request.request;
  std::string key = key_of(request, machine);
  if (std::optional<Reference> known = find(of_both.cache, key, request.request.configuration.rank_count))
    return *known;
  if (Status built = program.build(); !built)
    return Error{concat("the baseline does not build with nvcc: ", built.error().message)};
  CUCO_TRY(RunOutcome outcome, program.run(timed_run(request, kBaselineRegionLimitS), session));
  CUCO_TRY(Reference reference, take(std::move(outcome), request));
  CUCO_CHECK(take_bounds(request, program, session, reference.timing));
  store(of_both.cache, key, reference, request.request.configuration.rank_count);
  return reference;
}

}  // namespace cuco::gpu
