// Which way a run went through its program: the kernels that it launched, the communication calls that it made.
#pragma once

#include <string>

#include "vcluster/run_report.h"

namespace cuco::evaluate {

enum class PathRule : uint8_t {
  Same,   // The same kernels and calls, and an end without an error.
  Holds,  // At least those kernels and calls. The program may end as it likes: one that goes by its data takes other
          // ways in a sampled run, which has none.
};

// What a run at a smaller size does that the one at the case, which may be sampled, does not, in one sentence; empty:
// it takes the same paths. Kernels are told apart by place and template arguments, must have as many threads a block,
// and several blocks along every dimension that has several at the case. Where there is no kernel, calls that move
// much at the case move 64 KiB at least between the same ranks.
std::string path_difference(const vcluster::RunReport& of_case, const vcluster::RunReport& smaller, PathRule rule);

}  // namespace cuco::evaluate
