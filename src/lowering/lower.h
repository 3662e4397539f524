// Turns CUDA source into C++ that the virtual cluster can run: launches become calls, __shared__ variables become
// offsets into the running block's memory, known PTX becomes helper calls. The input is preprocessed text (C++ mode,
// CUCO_LOWERING defined), so no macro hides a location, and its line markers keep messages on the user's lines.
#pragma once

#include <string>

#include "base/result.h"
#include "vcluster/lowering_input.h"

namespace cuco::lowering {

// The error's message has one line per problem: file:line:col: error: what. Everything that a run could not do is
// among them: library functions it does not provide, PTX it does not know.
Result<std::string> lower_to_cpp(const vcluster::LoweringInput& input);

}  // namespace cuco::lowering
