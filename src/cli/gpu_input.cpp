#include "cli/gpu_input.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/text.h"
#include "cli/shell_word.h"
#include "gpu/nccl_library.h"

namespace cuco::cli {

namespace fs = std::filesystem;

namespace {

int64_t size_of(const evaluate::Configuration& configuration) {
  return std::accumulate(configuration.parameters.begin(), configuration.parameters.end(), int64_t{0},
                         [](int64_t sum, const auto& parameter) { return sum + parameter.second; });
}

const evaluate::Configuration* stand_in(const evaluate::Workload& workload, const std::string& full) {
  const evaluate::Configuration* smallest = nullptr;
  for (const evaluate::Configuration& each : workload.configurations) {
    if (each.twin_of == full) return &each;
    bool is_smaller = smallest == nullptr || size_of(each) < size_of(*smallest);
    if (each.purpose == evaluate::Purpose::Verify && is_smaller) smallest = &each;
  }
  return smallest;
}

// The last word of a GPU's name is its model: "NVIDIA H200", "NVIDIA A100-SXM4-80GB".
std::string model_of(const std::string& device_name) {
  std::string model = device_name.substr(device_name.rfind(' ') + 1);
  model = model.substr(0, model.find('-'));
  for (char& letter : model) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return model;
}

}  // namespace

void add_gpu_choice(CLI::App& command, GpuOptions& options) {
  command.add_option("--hosts", options.hosts, "Of mpi: hosts with their slots, one a line")->type_name("FILE");
  command
      .add_option("--launcher", options.launcher,
                  "What starts ranks, with {ranks}, {hosts}, {environment} and {program} (default: the MPI there is)")
      ->type_name("LINE");
  command
      .add_option("--check-config", options.check_configuration,
                  "Of GPUs: what the virtual cluster verifies first (default: the twin, or the smallest)")
      ->type_name("NAME");
  command.add_option("--iterations", options.iterations, "Of GPUs: calls that are timed")->capture_default_str();
  command.add_option("--ctas", options.collective_ctas, "Of GPUs: NCCL's limit for programs whose plan states none")
      ->capture_default_str();
}

bool is_on_gpus(const EvaluationOptions& options) { return options.executor != "vcluster"; }

Status check_executor(const EvaluationOptions& options) {
  for (const char* known : {"vcluster", "mpi", "one-gpu"})
    if (options.executor == known) return Done{};
  return Error{concat(options.command, ": error: --on ", options.executor, ": one of vcluster, mpi, one-gpu")};
}

gpu::Executor executor_of(const std::string& name) {
  return name == gpu::to_text(gpu::Executor::Mpi) ? gpu::Executor::Mpi : gpu::Executor::OneGpu;
}

std::string Machine::software() const {
  return concat("driver ", device.driver, ", CUDA ", toolchain.cuda, ", NCCL ",
                gpu::nccl_version_text(toolchain.nccl_version), ", ", toolchain.mpi);
}

Result<Machine> find_machine(Context& context) {
  Result<std::vector<gpu::Device>> devices = gpu::find_devices(context.processes);
  if (!devices) return devices.error();
  Result<gpu::Toolchain> toolchain = gpu::find_toolchain(context.processes, context.environment);
  if (!toolchain) return toolchain.error();
  return Machine{*std::move(toolchain), devices->front()};
}

Result<evaluate::Configuration> gpu_configuration(const EvaluationOptions& options,
                                                  const evaluate::Workload& workload) {
  evaluate::Configuration configuration = workload.configurations.front();
  if (!options.configuration.empty()) {
    Result<evaluate::Configuration> found = evaluate::find_configuration(workload, options.configuration);
    if (!found) return found;
    configuration = *found;
  }
  if (options.ranks) configuration.rank_count = options.ranks;
  if (options.nodes)
    configuration.node_count = options.nodes;
  else if (options.executor == gpu::to_text(gpu::Executor::OneGpu))
    configuration.node_count = 1;
  if (configuration.rank_count % configuration.node_count == 0) return configuration;
  return Error{concat(options.command, ": error: ", configuration.rank_count, " ranks cannot be spread evenly over ",
                      counted(configuration.node_count, "node"), "; give -n a multiple of --nodes")};
}

Result<evaluate::Configuration> check_configuration(const evaluate::Workload& workload,
                                                    const evaluate::Configuration& configuration,
                                                    const GpuOptions& options, const std::string& profile) {
  evaluate::Configuration check = configuration;
  if (!options.check_configuration.empty()) {
    Result<evaluate::Configuration> found = evaluate::find_configuration(workload, options.check_configuration);
    if (!found) return found;
    check = *found;
  } else if (configuration.purpose == evaluate::Purpose::Full) {
    const evaluate::Configuration* found = stand_in(workload, configuration.name);
    if (found == nullptr)
      return Error{concat(workload.name,
                          ": no configuration is small enough to be verified on the virtual cluster; "
                          "add one with purpose = \"verify\" or a twin of ",
                          configuration.name)};
    check = *found;
  }
  if (check.purpose == evaluate::Purpose::Full)
    return Error{concat("--check-config ", check.name, ": is a full size, which the virtual cluster does not verify")};
  check.rank_count = configuration.rank_count;
  check.node_count = configuration.node_count;
  if (!profile.empty()) check.profile = profile;
  return check;
}

EvaluationOptions options_for(const evaluate::Configuration& check, EvaluationOptions options) {
  options.executor = EvaluationOptions().executor;
  if (!check.file.empty()) options.configuration = check.name;
  options.ranks = check.rank_count;
  options.nodes = check.node_count;
  options.profile = check.profile;
  return options;
}

std::string measured_profile(const std::string& device_name, gpu::Executor executor, uint32_t ranks,
                             const fs::path& profiles) {
  if (executor != gpu::Executor::OneGpu) return "";
  std::string name = concat(model_of(device_name), "-mps", ranks);
  return fs::exists(profiles / concat(name, ".toml")) ? name : "";
}

gpu::SessionRequest session_request(const evolve::CampaignSetting& setting) {
  gpu::SessionRequest request;
  request.executor = executor_of(setting.gpu->executor);
  request.rank_count = setting.configuration.rank_count;
  request.node_count = setting.configuration.node_count;
  request.hosts = setting.gpu->hosts;
  request.launcher = setting.gpu->launcher;
  request.collective_ctas_max = setting.gpu->collective_ctas;
  return request;
}

std::string gpu_selection_text(const EvaluationOptions& evaluation, const GpuOptions& options) {
  if (!is_on_gpus(evaluation)) return "";
  std::string text = concat(" --on ", evaluation.executor);
  GpuOptions usual;
  if (!options.hosts.empty()) text += concat(" --hosts ", shell_word(options.hosts));
  if (!options.launcher.empty()) text += concat(" --launcher ", shell_word(options.launcher));
  if (!options.check_configuration.empty()) text += concat(" --check-config ", shell_word(options.check_configuration));
  if (options.iterations != usual.iterations) text += concat(" --iterations ", options.iterations);
  if (options.collective_ctas != usual.collective_ctas) text += concat(" --ctas ", options.collective_ctas);
  return text;
}

}  // namespace cuco::cli
