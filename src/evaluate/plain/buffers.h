// What a program without a harness computes from what: the buffers that its timed region reads and was given, those
// it leaves behind, and those it receives into on the way.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/program.h"

namespace cuco::evaluate {

struct PlainBuffers {
  std::vector<model::Index> inputs;     // Written before the region, read in it, of a floating-point type.
  std::vector<model::Index> updated;    // Inputs that the region writes too.
  std::vector<model::Index> kept;       // Likewise, but of a type whose values mean something: the program fills them.
  std::vector<model::Index> outputs;    // As the analysis found them, and written in the region.
  std::vector<model::Index> unwritten;  // Outputs that the region does not write, which are none of it.
  std::vector<model::Index> scratch;    // Received into in the region, and none of the above.
};

// Needs the timed region and the outputs. An error says why the program is no workload: it communicates nothing, has no
// timed region, or nothing in it writes an output.
Result<PlainBuffers> find_plain_buffers(const model::Program& program);

}  // namespace cuco::evaluate
