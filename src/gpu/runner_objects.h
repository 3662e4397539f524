// The runner of device/cuco/gpu_runner.cu, compiled once for each architecture and toolchain and kept in the cache.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.h"
#include "evaluate/cache.h"
#include "gpu/toolchain.h"

namespace cuco::gpu {

struct RunnerRequest {
  std::filesystem::path device_folder;  // device/ of the share folder.
  std::filesystem::path folder;         // Where the objects are put.
  Toolchain toolchain;
  std::string architecture;
};

Result<std::vector<std::filesystem::path>> runner_objects(const RunnerRequest& request, const evaluate::Cache& cache,
                                                          ProcessRunner& processes);

// What a program that contains the runner is linked with: the shared CUDA runtime, NCCL and MPI, found again where they
// are now.
std::vector<std::string> link_arguments(const Toolchain& toolchain);

}  // namespace cuco::gpu
