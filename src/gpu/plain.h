// Programs without the harness on real GPUs. Their region is marked in a copy of their text, as for the virtual cluster
// (evaluate/plain/region.h); the runner times it between the marks and calls it again. Inputs are the program's own.
// Outputs are what it copies to the host (device/cuco/runner/plain.h), as bytes; what they are, the virtual cluster's
// run of the baseline says.
#pragma once

#include <string>
#include <vector>

#include "evaluate/confined_program.h"

namespace cuco::gpu {

struct MarkedProgram {
  std::vector<SourceFile> files;
  std::string once;  // Why a run calls the region once, in a line; empty: it is called again and again.
};

// An error says why nobody can tell where the region begins and ends.
Result<MarkedProgram> with_region_marks(std::vector<SourceFile> files, const evaluate::ProgramSetting& setting,
                                        const evaluate::Tools& tools);

// Gives copies to the host the types and tolerances of `known`, by rank and order. A thread that drives several GPUs
// copies for all of them as rank 0: there, by size, where all known copies of the size are alike, or all of any size
// where none has it. One that `known` does not have stays bytes and is compared exactly.
void describe_copies(evaluate::Capture& capture, const evaluate::Capture& known);

}  // namespace cuco::gpu
