// Compiling a rewritten program with nvcc against the real headers of NCCL, where these are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/text.h"
#include "testing/share.h"
#include "trial.h"

namespace cuco {

inline bool answers(const std::string& program) {
  RealProcessRunner processes;
  Result<ProcessOutput> output = processes.run({program, "--version"}, 20'000);
  return output && output->exit_code == 0;
}

inline std::vector<std::string> mpi_include_flags() {
  RealProcessRunner processes;
  Result<ProcessOutput> output = processes.run({"mpicxx", "--showme:compile"}, 20'000);
  std::vector<std::string> flags;
  if (!output || output->exit_code != 0) return flags;
  for (const std::string& flag : split(trim(output->text), ' '))
    if (flag.starts_with("-I")) flags.push_back(flag);
  return flags;
}

// What nvcc says against it; nothing when it compiles.
inline std::string compile(const std::filesystem::path& program, const std::string& architecture,
                           const std::vector<std::string>& definitions) {
  std::vector<std::string> command = {
      "nvcc", "-std=c++17", "-arch=" + architecture, "-I", kFolder.string(), "-I", (kSource / "device").string(), "-c", program.string(), "-o", "/dev/null"};
  for (const std::string& flag : mpi_include_flags()) command.push_back(flag);
  for (const std::string& definition : definitions) command.push_back("-D" + definition);
  RealProcessRunner processes;
  Result<ProcessOutput> output = processes.run(command, 300'000);
  if (!output) return output.error().message;
  return output->exit_code == 0 ? "" : output->text;
}

// Hybrid has the code of both others; ./test --all compiles each.
inline std::vector<space::Backend> backends_to_compile() {
  if (!testing::runs_all_cases()) return {space::Backend::Hybrid};
  return {space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid};
}

// MPI's compiler is there without its headers where only the package that starts ranks is.
inline bool can_compile() {
  for (const std::string& flag : mpi_include_flags())
    if (std::filesystem::exists(std::filesystem::path(flag.substr(2)) / "mpi.h")) return answers("nvcc");
  return false;
}

}  // namespace cuco
