#include "gpu/calibration/run.h"

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "gpu/runner_objects.h"
#include "model/profile_toml.h"
#include "vcluster/simulate.h"

namespace cuco::gpu {

namespace fs = std::filesystem;

namespace {

constexpr int kBuildMsMax = 300'000;
constexpr int kRunMsMax = 180'000;  // The slowest took 3 s with four ranks on one H200, 2026-11-15.
constexpr const char* kPrograms[] = {"latencies", "rates", "products", "links", "network", "collectives"};

std::string trimmed_end(const std::string& text) {
  constexpr size_t kShown = 600;
  return std::string(trim(text.size() > kShown ? text.substr(text.size() - kShown) : text));
}

std::string state_text(const Result<DeviceState>& state) {
  if (!state) return "unknown";
  std::string text = concat(state->multiprocessor_mhz, " MHz, memory ", state->memory_mhz, " MHz, ",
                            state->temperature_c, " C, ", state->power_w, " W");
  return state->throttled.empty() ? text : concat(text, ", throttled: ", state->throttled);
}

std::string variables_text(const Variables& variables) {
  std::vector<std::string> shown;
  for (const auto& [name, value] : variables)
    if (name.starts_with("NCCL_") || name == "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" ||
        name == "CUDA_DEVICE_MAX_CONNECTIONS")
      shown.push_back(concat(name, "=", value));
  return shown.empty() ? "nothing" : join(shown, " ");
}

class Measuring {
 public:
  Measuring(const MeasuringRequest& request, const Toolchain& toolchain, ProcessRunner& processes)
      : request_(request), toolchain_(toolchain), processes_(processes) {}

  // Before a GPU is locked: nobody should wait for a compiler.
  Status build(const std::string& architecture, const fs::path& folder) {
    for (const char* name : kPrograms) {
      tell(concat("building ", name));
      Result<ProcessOutput> output = processes_.run(nvcc_command(name, architecture, folder), kBuildMsMax);
      if (!output) return output.error();
      if (output->exit_code != 0)
        return Error{concat("device/calibrate/", name, ".cu does not build: ", trimmed_end(output->text))};
    }
    return Done{};
  }

  Result<std::string> run(const Session& session, const fs::path& folder) {
    const Device& device = session.devices().front();
    std::string text =
        concat("machine date ", request_.date, "\nmachine driver ", device.driver, "\nmachine executor ",
               to_text(request_.session.executor), "\nmachine variables ", variables_text(session.variables()),
               "\nmachine state_before ", state_text(state_of(device, processes_)), "\n");
    for (const char* name : kPrograms) {
      tell(concat("measuring ", name));
      Result<ProcessOutput> output = processes_.run(session.launch_command({folder / name}, {}), kRunMsMax);
      if (!output) return Error{concat("measuring ", name, ": ", output.error().message)};
      if (output->exit_code != 0)
        return Error{
            concat("measuring ", name, " ended with exit code ", output->exit_code, ": ", trimmed_end(output->text))};
      text += output->text;
    }
    return concat(text, "machine state_after ", state_text(state_of(device, processes_)), "\n");
  }

 private:
  void tell(const std::string& what) const {
    if (request_.progress) request_.progress(what);
  }

  std::vector<std::string> nvcc_command(const std::string& name, const std::string& architecture,
                                        const fs::path& folder) const {
    std::vector<std::string> command = {toolchain_.nvcc.string(),
                                        "-std=c++17",
                                        "-O3",
                                        "-w",
                                        "-arch=" + architecture,
                                        "-I" + toolchain_.nccl_include.string()};
    command.insert(command.end(), toolchain_.mpi_compile.begin(), toolchain_.mpi_compile.end());
    command.push_back((request_.share / "device" / "calibrate" / (name + ".cu")).string());
    std::vector<std::string> link = link_arguments(toolchain_);
    command.insert(command.end(), link.begin(), link.end());
    command.insert(command.end(), {"-o", (folder / name).string()});
    return command;
  }

  const MeasuringRequest& request_;
  const Toolchain& toolchain_;
  ProcessRunner& processes_;
};

}  // namespace

Result<std::string> measure(const MeasuringRequest& request, const Toolchain& toolchain, ProcessRunner& processes,
                            const Environment& environment) {
  CUCO_TRY(std::vector<Device> devices, find_devices(processes));
  if (request.session.device >= devices.size())
    return Error{concat("there is no GPU ", request.session.device, "; this machine has ", devices.size())};
  CUCO_TRY(ScratchFolder scratch, ScratchFolder::make("cuco-calibrate"));
  Measuring measuring(request, toolchain, processes);
  Status built = measuring.build(devices[request.session.device].architecture, scratch.path());
  if (!built) return built.error();
  CUCO_TRY(Session session, Session::open(request.session, processes, environment));
  return measuring.run(session, scratch.path());
}

Result<Measurements> simulate_products(const model::HardwareProfile& profile, const fs::path& share,
                                       const vcluster::LowerFunction& lower, ProcessRunner& processes) {
  CUCO_TRY(ScratchFolder scratch, ScratchFolder::make("cuco-calibrate"));
  Result<fs::path> runner = vcluster::default_runner(), plugin = vcluster::default_cost_plugin();
  if (!runner) return runner.error();
  if (!plugin) return plugin.error();
  vcluster::SimulationRequest request;
  request.build.files = {(share / "device" / "calibrate" / "products.cu").string()};
  request.build.share = share;
  request.build.cost_plugin = *plugin;
  request.build.folder = scratch.path();
  request.profile = scratch.path() / "profile.toml";
  request.rank_count = profile.topology.rank_count();
  request.node_count = profile.topology.nodes;
  request.sample = true;
  request.runner = *runner;
  CUCO_CHECK(write_file(request.profile, model::to_toml(profile)));
  CUCO_TRY(vcluster::SimulationReport report, vcluster::simulate(request, lower, processes));
  return parse_measurements("products.cu on the virtual cluster", report.schedules.front().output);
}

}  // namespace cuco::gpu
