// Turns CUDA source into C++ that the virtual cluster can run: launches become calls, __shared__ variables become
// offsets into the running block's memory, known PTX becomes helper calls. The input is preprocessed text (C++ mode,
// CUCO_LOWERING defined), so no macro hides a location, and its line markers keep messages on the user's lines.
#pragma once

#include <string>

#include "base/result.h"

namespace cuco::frontend {

struct LowerRequest {
  std::string path;  // Of the user's file; names the input in messages.
  std::string preprocessed_text;
  std::string standard = "c++17";
};

// The error's message has one line per problem: file:line:col: error: what.
Result<std::string> lower_to_cpp(const LowerRequest& request);

}  // namespace cuco::frontend
