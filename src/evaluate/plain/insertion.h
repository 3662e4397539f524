// Puts the harness into a program that has none: the include, the object, its buffers, and a run() around the timed
// region. Only where the text allows it; the caller parses the result to be sure of the names.
#pragma once

#include <string>

#include "base/result.h"
#include "evaluate/plain/buffers.h"
#include "model/program.h"

namespace cuco::evaluate {

// `text` is that of the file in which the region stands. An error says why the harness has to be put in by hand.
Result<std::string> insert_harness(const model::Program& program, const PlainBuffers& buffers, const std::string& text);

}  // namespace cuco::evaluate
