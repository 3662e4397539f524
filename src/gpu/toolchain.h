// What builds a program for this machine's GPUs: nvcc, MPI, and an NCCL that is new enough.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"

namespace cuco::gpu {

struct Toolchain {
  std::filesystem::path nvcc;
  std::filesystem::path nccl_include, nccl_library;  // Folders. $NCCL_HOME first, then where the system has it.
  uint32_t nccl_version = 0;                         // 23007 is 2.30.7; of the library that is linked.
  std::vector<std::string> mpi_compile, mpi_link;    // Arguments, in nvcc's form.
  std::string mpi;                                   // "Open MPI 4.1.6".
  std::string cuda;                                  // "13.0".
};

constexpr uint32_t kNcclWithMultiRank = 23000;

// What nvcc is told in place of one argument of the host's compiler: -Wl,a,b -> -Xlinker a -Xlinker b.
std::vector<std::string> nvcc_arguments(const std::string& word);

// An error says what is missing, where it was looked for and what to install or set.
Result<Toolchain> find_toolchain(ProcessRunner& processes, const Environment& environment);

}  // namespace cuco::gpu
