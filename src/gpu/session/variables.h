// What a session sets in the environment of every rank, and why.
#pragma once

#include <filesystem>
#include <string>

#include "base/environment.h"
#include "gpu/session/session.h"

namespace cuco::gpu {

constexpr const char* kShareOfGpu = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";

struct RankPlace {
  std::vector<std::string> device_uuids;  // That ranks may see; empty: all, as on other hosts.
  std::filesystem::path mps_pipes;        // Of one-gpu.
  std::filesystem::path nccl_library;     // Folder; empty: the loader knows.
  std::filesystem::path nic_plugin;       // Of one-gpu with several nodes.
};

Variables session_variables(const SessionRequest& request, const RankPlace& place, const Environment& environment);

}  // namespace cuco::gpu
