#include "gpu/session_variables.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::gpu {

namespace {

constexpr uint32_t kClientsOfManyConnections = 4;

void share_gpu(Variables& variables, const SessionRequest& request, const RankPlace& place) {
  variables.emplace_back("CUDA_MPS_PIPE_DIRECTORY", place.mps_pipes.string());
  variables.emplace_back("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", concat(100 / request.rank_count));
  // With 32, four clients ran out of memory (H200, driver 580, 2026-11-15).
  if (request.rank_count >= kClientsOfManyConnections) variables.emplace_back("CUDA_DEVICE_MAX_CONNECTIONS", "8");
  variables.emplace_back("NCCL_MULTI_RANK_GPU_ENABLE", "1");
  variables.emplace_back("NCCL_CUMEM_ENABLE", "1");
}

// The emulated NIC has no place on a PCI bus, so NCCL must be told that it may reach GPU memory from anywhere.
void use_nic(Variables& variables, const std::string& plugin) {
  variables.emplace_back("NCCL_NET_PLUGIN", plugin);
  variables.emplace_back("NCCL_NET_GDR_LEVEL", "SYS");
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
  if (request.executor == Executor::OneGpu && request.node_count > 1)
    use_nic(variables, environment.variable("CUCO_NIC").value_or(""));
  if (!place.nccl_library.empty())
    variables.emplace_back("LD_LIBRARY_PATH", folder_first(place.nccl_library.string(), environment));
  return variables;
}

}  // namespace cuco::gpu
