// Puts the harness into a program that has none: the include, the object, its buffers, and a run() around the timed
// region. Only where the text allows it; the caller parses the result to be sure of the names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "evaluate/plain/buffers.h"
#include "model/program.h"

namespace cuco::evaluate {

// Texts to choose from, the plainest first: they differ in how a rank learns which it is and what main calls its
// arguments. `text` is that of the file in which the region stands. An error says why the harness has to be put in by
// hand.
Result<std::vector<std::string>> insert_harness(const model::Program& program, const PlainBuffers& buffers,
                                                const std::string& text);

// Why such a text does not parse, in words about the program: `line` is the first that a compiler complains of.
std::string reason_against(const std::string& inserted, size_t line, const std::string& complaint);

}  // namespace cuco::evaluate
