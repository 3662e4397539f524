// cuco calibrate: measures this machine's GPUs and writes a hardware profile.
#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "campaign/evaluation_request.h"
#include "campaign/result_file.h"
#include "cli/command.h"
#include "gpu/calibration/calibration.h"
#include "gpu/calibration/run.h"
#include "lowering/lower.h"
#include "model/network.h"
#include "model/profile_fields.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

struct CalibrateOptions {
  std::string executor = to_text(gpu::Executor::OneGpu);
  gpu::SessionRequest session;
  std::string hosts, launcher;
  std::string network;  // Of the emulated NIC, as model/network.h reads it.
  std::string output;
  std::string base;       // A profile by name or path.
  std::string raw;        // Where measurements go as they came.
  std::string recording;  // Measurements to take instead of measuring.
  bool json = false;
};

std::string today() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&now, &utc);
  return concat(std::put_time(&utc, "%Y-%m-%d"));
}

Status check(CalibrateOptions& options) {
  auto refuse = [](const std::string& why) { return Error{"cuco calibrate: error: " + why}; };
  if (!options.output.ends_with(".toml"))
    return refuse(concat("-o ", options.output, ": a profile's name must end in .toml"));
  if (options.session.rank_count < 2)
    return refuse("-n must be at least 2: with one rank there is nothing between ranks to measure");
  bool mpi = options.executor == to_text(gpu::Executor::Mpi);
  if (!mpi && options.executor != to_text(gpu::Executor::OneGpu))
    return refuse(concat("--on ", options.executor, ": it is mpi or one-gpu"));
  options.session.executor = mpi ? gpu::Executor::Mpi : gpu::Executor::OneGpu;
  if (options.session.node_count > 1 && mpi) return refuse("--nodes is for one-gpu: on mpi, hosts are the nodes");
  if (!options.network.empty()) {
    Result<model::Network> network = model::parse_network(options.network);
    if (!network) return refuse("--network " + network.error().message);
    options.session.network = *network;
  }
  options.session.hosts = options.hosts;
  options.session.launcher = options.launcher;
  return Done{};
}

Result<std::string> take_measurements(const CalibrateOptions& options, const fs::path& share, Context& context) {
  if (!options.recording.empty()) return read_file(options.recording);
  Result<gpu::Toolchain> toolchain = gpu::find_toolchain(context.processes, context.environment);
  if (!toolchain) return toolchain.error();
  auto progress = [&context](const std::string& what) { context.err << what << "...\n" << std::flush; };
  gpu::MeasuringRequest request{options.session, share, today(), progress};
  if (request.session.nccl_library.empty()) request.session.nccl_library = toolchain->nccl_library;
  request.session.report = progress;
  return gpu::measure(request, *toolchain, context.processes, context.environment);
}

Result<std::optional<model::HardwareProfile>> load_base(const CalibrateOptions& options, const fs::path& share) {
  if (options.base.empty()) return std::optional<model::HardwareProfile>();
  Result<model::HardwareProfile> base = model::load_profile(share / "profiles", options.base);
  if (!base) return base.error();
  return std::optional(*std::move(base));
}

Result<gpu::Calibration> fit(const CalibrateOptions& options, const gpu::Measurements& measurements,
                             const fs::path& share, Context& context) {
  Result<std::optional<model::HardwareProfile>> base = load_base(options, share);
  if (!base) return base.error();
  Result<gpu::Calibration> calibration = gpu::fit(fs::path(options.output).stem().string(), measurements, *base);
  if (!calibration) return calibration.error();
  Result<gpu::Measurements> simulated =
      gpu::simulate_products(calibration->profile, share, lowering::lower_to_cpp, context.processes);
  if (!simulated) return simulated.error();
  Status held = gpu::fit_efficiency(*calibration, measurements, *simulated);
  if (!held) return held.error();
  return calibration;
}

void write_json(std::ostream& out, const CalibrateOptions& options, const gpu::Calibration& calibration,
                const gpu::Measurements& measurements) {
  JsonWriter json;
  json.begin_object().field("profile", options.output).field("doubts", calibration.doubts);
  json.key("machine").begin_object();
  for (const auto& [key, value] : measurements.machine) json.field(key, value);
  json.end_object().key("sources").begin_object();
  for (const auto& [key, source] : calibration.sources) json.field(key, source);
  json.end_object().key("measurements").begin_array();
  for (const gpu::Measurement& each : measurements.all)
    json.begin_object()
        .field("name", each.name)
        .field("who", each.alone ? "alone" : "all")
        .field("size", each.size)
        .field("work", each.work)
        .field("median_us", each.median_us)
        .field("least_us", each.least_us)
        .field("most_us", each.most_us)
        .field("samples", each.sample_count)
        .end_object();
  json.end_array().end_object();
  out << json.take();
}

// What was written must be a profile that cuco reads: found out before it replaces another.
Status write_profile(const CalibrateOptions& options, const std::string& text) {
  Result<model::HardwareProfile> read = model::parse_profile("profile", options.output, text);
  if (!read) return Error{concat("the measurements make no profile: ", read.error().message)};
  return campaign::write_result_file(options.output, text, campaign::kProfileBeginning);
}

Status calibrate(CalibrateOptions options, Context& context) {
  if (Status fine = check(options); !fine) return fine;
  if (!context.share) return context.share.error();
  if (Status fine = campaign::check_result_file(options.output, campaign::kProfileBeginning); !fine) return fine;
  campaign::end_processes_on_interrupt();
  Result<std::string> text = take_measurements(options, *context.share, context);
  if (!text) return text.error();
  if (!options.raw.empty())
    if (Status kept = write_file(options.raw, *text); !kept) return kept;
  std::string name = options.recording.empty() ? "the measurements" : options.recording;
  Result<gpu::Measurements> measurements = gpu::parse_measurements(name, *text);
  if (!measurements) return measurements.error();
  Result<gpu::Calibration> calibration = fit(options, *measurements, *context.share, context);
  if (!calibration) return calibration.error();
  if (processes_interrupted()) return Error{"cuco calibrate: interrupted; no profile was written"};
  if (Status written = write_profile(options, gpu::profile_text(*calibration, *measurements)); !written) return written;
  if (options.json) {
    write_json(context.out, options, *calibration, *measurements);
    return Done{};
  }
  context.out << options.output << ": " << calibration->profile.description << "\n";
  for (const std::string& doubt : calibration->doubts) context.out << "doubt: " << doubt << "\n";
  return Done{};
}

void add_session_options(CLI::App& command, CalibrateOptions& options) {
  command.add_option("--on", options.executor, "What runs the ranks: mpi (a GPU each) or one-gpu (they share one)")
      ->capture_default_str();
  command.add_option("-n,--ranks", options.session.rank_count, "How many ranks")->capture_default_str();
  command.add_option("--nodes", options.session.node_count, "On one-gpu: nodes, with the emulated NIC between them")
      ->capture_default_str();
  command.add_option("--network", options.network, "On one-gpu: what the NIC is set to, such as 12.5GB/s,10us")
      ->type_name("RATE,TIME");
  command.add_option("--hosts", options.hosts, "On mpi: one host a line, with slots=N (default: this machine)")
      ->type_name("FILE");
  command
      .add_option("--launcher", options.launcher, "What starts ranks, with {ranks}, {hosts}, {environment}, {program}")
      ->type_name("LINE");
  command.add_option("--device", options.session.device, "On one-gpu: which of them")->capture_default_str();
  command.add_option("--ctas", options.session.collective_ctas_max, "NCCL_MAX_CTAS")->capture_default_str();
}

}  // namespace

void add_calibrate(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand("calibrate", "Measure this machine's GPUs and write a hardware profile");
  command->add_option("-o,--output", options->output, "The profile to write")->required()->type_name("NAME.toml");
  add_session_options(*command, *options);
  command->add_option("--base", options->base, "A profile to take from what cannot be measured")->type_name("PROFILE");
  command->add_option("--raw", options->raw, "Keep the measurements as they came")->type_name("FILE");
  command->add_option("--from", options->recording, "Take measurements that --raw kept; no GPU is needed")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print measurements and the source of every number as JSON");
  command->footer(
      R"(Ranks run as candidates do: the same MPS shares and CTA limit. docs/calibration.md says what is measured.

Examples:
  cuco calibrate --on one-gpu -n 4 -o profiles/mine.toml --raw mine.txt
  cuco calibrate --on one-gpu -n 2 --nodes 2 --network 12.5GB/s,10us --base h200-mps2 -o profiles/nodes.toml
  cuco calibrate --on mpi -n 8 -o profiles/node.toml --base h100x8-nvlink
  cuco calibrate --from mine.txt -o profiles/mine.toml)");
  command->callback(
      [options, &chosen] { chosen = [options](Context& context) { return calibrate(*options, context); }; });
}

}  // namespace cuco::cli
