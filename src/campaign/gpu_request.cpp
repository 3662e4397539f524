#include "campaign/gpu_request.h"

#include "base/shell_word.h"
#include "base/text.h"
#include "evaluate/reference.h"
#include "model/network.h"

namespace cuco::campaign {

namespace fs = std::filesystem;

namespace {

// A machine of one node that has room for the ranks; the one that was measured with as many of them comes first. A
// network is put between its copies when there are to be several nodes.
std::string virtual_profile(const fs::path& profiles, uint32_t rank_count, const std::string& otherwise) {
  for (const std::string& name :
       {concat("h200-mps", rank_count), std::string("a100x4-nvlink"), std::string("h100x8-nvlink")}) {
    Result<model::HardwareProfile> profile = model::load_profile(profiles, name);
    if (profile && profile->topology.nodes == 1 && profile->topology.rank_count() >= rank_count) return name;
  }
  return otherwise;
}

Result<evaluate::Configuration> find_chosen(const EvaluationOptions& options, const evaluate::Workload& workload) {
  if (options.configuration.empty()) return workload.configurations.front();
  return evaluate::find_configuration(workload, options.configuration);
}

// What the emulated NIC is to be: the user's word, else the link between the nodes of the profile.
Result<std::optional<model::Network>> network_between(const EvaluationOptions& options,
                                                      const evaluate::Configuration& configuration,
                                                      const fs::path& profiles) {
  Result<std::optional<model::Network>> stated = network_choice(options);
  bool is_emulated = options.executor == to_text(gpu::Executor::OneGpu) && configuration.node_count > 1;
  if (!stated || *stated || !is_emulated) return stated;
  std::string name = options.profile.empty() ? configuration.profile : options.profile;
  Result<model::HardwareProfile> profile = model::load_profile(profiles, name);
  if (!profile) return profile.error();
  if (std::optional<model::Network> network = model::network_of(*profile)) return network;
  return Error{concat(options.command, ": error: --nodes ", configuration.node_count, ": profile ", name,
                      " has no link between nodes; say what there is, such as --network 12.5GB/s,10us")};
}

// The layout of the ranks is the GPUs', not the workload's: all on one node unless the user says otherwise.
Status lay_out(const EvaluationOptions& options, const fs::path& profiles, evaluate::Configuration& configuration) {
  if (options.ranks) configuration.rank_count = options.ranks;
  configuration.node_count = options.nodes ? options.nodes : 1;
  Result<std::optional<model::Network>> network = network_between(options, configuration, profiles);
  if (!network) return network.error();
  configuration.network = *network;
  return Done{};
}

gpu::SessionRequest requested_session(const EvaluationOptions& options, const GpuOptions& gpu_options,
                                      const evaluate::Configuration& configuration) {
  gpu::SessionRequest session;
  session.executor = options.executor == to_text(gpu::Executor::Mpi) ? gpu::Executor::Mpi : gpu::Executor::OneGpu;
  session.rank_count = configuration.rank_count;
  session.node_count = configuration.node_count;
  session.network = configuration.network;
  session.hosts = gpu_options.hosts;
  session.launcher = gpu_options.launcher;
  session.device = gpu_options.device;
  session.collective_ctas_max = gpu_options.collective_ctas_max;
  return session;
}

// The same options for the virtual cluster.
EvaluationOptions check_options(const EvaluationOptions& options, const evaluate::Workload& workload,
                                const evaluate::Configuration& configuration, const fs::path& share) {
  EvaluationOptions checked = options;
  checked.executor = "vcluster";
  checked.ranks = configuration.rank_count;
  checked.nodes = configuration.node_count;
  if (configuration.network) checked.network = model::to_text(*configuration.network);
  if (options.profile.empty() && (configuration.node_count == 1 || configuration.network))
    checked.profile =
        virtual_profile(share / "profiles", configuration.rank_count, workload.configurations.front().profile);
  return checked;
}

std::string repeat_command(const EvaluationOptions& options, const GpuOptions& gpu_options, const Context& context) {
  std::string command = concat("cuco evaluate ", target_text(options));
  if (!options.candidate.empty()) command += concat(" --candidate ", shell_word(options.candidate));
  if (!options.parent.empty()) command += concat(" --parent ", shell_word(options.parent));
  if (options.rewritten) command += " --rewritten";
  command += concat(selection_text(options), " --on ", options.executor, " --iterations ", gpu_options.iterations);
  if (!gpu_options.hosts.empty()) command += concat(" --hosts ", shell_word(gpu_options.hosts));
  if (!gpu_options.launcher.empty()) command += concat(" --launcher ", shell_word(gpu_options.launcher));
  return command + arguments_text(context);
}

}  // namespace

Result<bool> runs_on_gpus(const EvaluationOptions& options) {
  for (gpu::Executor executor : {gpu::Executor::Mpi, gpu::Executor::OneGpu})
    if (options.executor == to_text(executor)) return true;
  if (options.executor == "vcluster") return false;
  return Error{concat(options.command, ": error: --on ", options.executor, ": it is vcluster, mpi or one-gpu")};
}

Result<gpu::GpuRequest> make_gpu_request(const EvaluationOptions& options, const GpuOptions& gpu_options,
                                         Context& context) {
  if (!context.share) return context.share.error();
  if (gpu_options.iterations == 0) return Error{concat(options.command, ": error: --iterations must be at least 1")};
  Result<evaluate::Workload> workload = find_workload(options, context);
  if (!workload) return workload.error();
  Result<evaluate::Configuration> chosen = find_chosen(options, *workload);
  if (!chosen) return chosen.error();
  if (Status laid_out = lay_out(options, *context.share / "profiles", *chosen); !laid_out) return laid_out.error();
  Result<evaluate::EvaluationRequest> request =
      make_evaluation(check_options(options, *workload, *chosen, *context.share), context);
  if (!request) return request.error();
  gpu::GpuRequest made;
  made.request = std::move(*request);
  made.session = requested_session(options, gpu_options, *chosen);
  made.iterations = gpu_options.iterations;
  made.repeat = repeat_command(options, gpu_options, context);
  made.skip_check = evaluate::digest_of(made.request.candidate) == evaluate::digest_of(made.request.baseline);
  if (Status possible = gpu::check_request(made); !possible) return possible.error();
  return made;
}

}  // namespace cuco::campaign
