#include "gpu/session/variables.h"

#include <algorithm>

#include "base/text.h"
#include "gpu/emulated_nic.h"

namespace cuco::gpu {

namespace {

constexpr uint32_t kConnections = 127;        // Of all contexts of one MPS server; measured, docs/emulated_nic.md.
constexpr uint32_t kConnectionsUsual = 32;    // Of a context, where CUDA is told nothing.
constexpr uint32_t kConnectionsOfShared = 8;  // Enough for a program's streams beside those of NCCL.

// The NIC has a context of its own in each rank.
uint32_t connections_for(uint32_t rank_count, bool has_nic) {
  uint32_t room = kConnections / (rank_count * (has_nic ? 2 : 1));
  return room > kConnectionsUsual ? 0 : std::clamp(room, 1u, kConnectionsOfShared);
}

void share_gpu(Variables& variables, const SessionRequest& request, const RankPlace& place) {
  variables.emplace_back("CUDA_MPS_PIPE_DIRECTORY", place.mps_pipes.string());
  variables.emplace_back(kShareOfGpu, concat(100 / request.rank_count));
  if (uint32_t connections = connections_for(request.rank_count, !place.nic_plugin.empty()))
    variables.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS", concat(connections));
  variables.emplace_back("NCCL_MULTI_RANK_GPU_ENABLE", "1");
  variables.emplace_back("NCCL_CUMEM_ENABLE", "1");
}

std::string folder_first(const std::string& folder, const Environment& environment) {
  std::vector<std::string> folders = {folder};
  for (const std::string& each : split(environment.variable("LD_LIBRARY_PATH").value_or(""), ':'))
    if (!each.empty() && std::find(folders.begin(), folders.end(), each) == folders.end()) folders.push_back(each);
  return join(folders, ":");
}

}  // namespace

Variables session_variables(const SessionRequest& request, const RankPlace& place, const Environment& environment) {
  Variables variables;
  // By name: numbers of nvidia-smi follow the bus, those of CUDA the speed.
  if (!place.device_uuids.empty()) variables.emplace_back("CUDA_VISIBLE_DEVICES", join(place.device_uuids, ","));
  if (request.executor == Executor::OneGpu) share_gpu(variables, request, place);
  // Ranks that share a GPU need room for each other's collectives, whatever was asked for.
  uint32_t ctas_max = request.collective_ctas_max;
  if (ctas_max == 0 && request.executor == Executor::OneGpu) ctas_max = SessionRequest().collective_ctas_max;
  if (ctas_max != 0) variables.emplace_back("NCCL_MAX_CTAS", concat(ctas_max));
  if (!place.nic_plugin.empty())
    variables = merged(std::move(variables), nic_variables(request.network, place.nic_plugin, environment));
  if (!place.nccl_library.empty())
    variables.emplace_back("LD_LIBRARY_PATH", folder_first(place.nccl_library.string(), environment));
  return variables;
}

}  // namespace cuco::gpu
