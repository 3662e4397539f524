// Programs without a harness. The runner captures bytes (vcluster/runtime/plain_outputs.h); what they are, the analysis
// of the baseline says. Inputs stay the program's own: only rand() and its kin follow the input seed.
#pragma once

#include <string>
#include <vector>

#include "evaluate/capture.h"
#include "model/program.h"

namespace cuco::evaluate {

// Gives every output of a baseline the type of the buffer it was copied from, a tolerance for that type, and a name
// that does not depend on lines of source. Outputs of unknown type stay bytes and are compared exactly.
void describe_baseline(Capture& capture, const model::Program& program);

// The same for a candidate, which goes by the baseline's order of outputs.
void describe_candidate(Capture& capture, const Capture& baseline);

// What the runner has to look at in candidates, whose communication it may not see: where the baseline received.
std::vector<vcluster::Watch> watches_of(const Capture& baseline);

// For a verdict's notes: what of a plain program is compared, and what does not vary.
std::string plain_note(const Capture& baseline);

}  // namespace cuco::evaluate
