// Programs without a harness. The runner captures bytes (vcluster/runtime/plain_outputs.h); what they are, the analysis
// of the baseline says. Inputs are the program's own, changed on their way to the devices (vcluster/runtime/
// plain_inputs.h) where the program bears it; rand() and its kin follow the run key.
#pragma once

#include <string>
#include <vector>

#include "evaluate/capture.h"
#include "model/program.h"
#include "vcluster/run_report.h"

namespace cuco::evaluate {

// Gives every output of a baseline the type of the buffer it was copied from, a tolerance for that type, and a name
// that does not depend on lines of source. Outputs of unknown type stay bytes and are compared exactly.
void describe_baseline(Capture& capture, const model::Program& program);

// The same for a candidate, which goes by the baseline's order of outputs.
void describe_candidate(Capture& capture, const Capture& baseline);

// What the runner has to look at in candidates, whose communication it may not see: where the baseline received.
std::vector<vcluster::Watch> watches_of(const Capture& baseline);

// What the run copied to devices before its region and may be changed without changing what the program does: content
// that is floating-point wherever it went.
std::vector<vcluster::Upload> floating_uploads(const vcluster::RunReport& report, const model::Program& program);

// For a verdict's notes: what of a plain program is compared, and what does not vary.
// `own_inputs`: why they stayed its own; empty: what it copies to its devices was changed on every rank.
std::string plain_note(const Capture& baseline, const std::string& own_inputs);

}  // namespace cuco::evaluate
