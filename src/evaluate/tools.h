// The programs that evaluation uses: those of cuco itself, and what the machine has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/process.h"
#include "base/result.h"

namespace cuco::evaluate {

struct Tools {
  std::filesystem::path share;  // Holds device/ and profiles/.
  std::filesystem::path runner, lower, cost_plugin, check_plugin;
  std::filesystem::path nvcc;  // Empty: there is none.

  // Folders that the sandbox must show.
  std::vector<std::filesystem::path> folders() const;
  // In one of the folders, beside nvcc, or where every compiler looks.
  bool has_header(const std::string& name, std::vector<std::filesystem::path> folders) const;
  // Changes when any of them does.
  std::string version() const;
};

Result<Tools> find_tools(const std::filesystem::path& share, const Environment& environment);

// Of MPI and NCCL, for nvcc. Asks MPI's compiler, which takes longer than a cached verdict should.
std::vector<std::filesystem::path> library_include_folders(ProcessRunner& processes, const Environment& environment);

}  // namespace cuco::evaluate
