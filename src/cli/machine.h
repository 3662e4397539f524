// What this machine has of all that cuco can use, found by asking: programs are run, headers are read.
// Of model keys only the names are known, never the values.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/process.h"

namespace cuco::cli {

struct Finding {
  std::string name;  // One of the names that examine_machine lists, in that order.
  bool present = false;
  std::string detail;  // Version and place; or what was looked for in vain.
  std::string fix;     // The command that would give it; empty when present.
};

struct Machine {
  std::vector<Finding> findings;

  const Finding& find(const std::string& name) const;  // The name must be one that was looked for.
};

// g++, clang-19, nvcc, nccl, nccl-device-api (2.28), nccl-multi-rank (2.30), mpi, mps, gpu, sandbox, slurm,
// ANTHROPIC_API_KEY, OPENAI_API_KEY.
Machine examine_machine(ProcessRunner& processes, const Environment& environment);

}  // namespace cuco::cli
