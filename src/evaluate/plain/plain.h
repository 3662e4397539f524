// Programs without a harness. The runner captures bytes (plain_outputs.h in vcluster/runtime/harness); what they are,
// the analysis of the baseline says. Inputs are the program's own, changed on their way to the devices (plain_inputs.h)
// where the program bears it; rand() and its kin follow the run key. Its region is called in a loop (plain_loop.h)
// where its text and the program itself bear that.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/capture.h"
#include "model/program.h"
#include "vcluster/run_report.h"

namespace cuco::evaluate {

// How a plain baseline was run, and how candidates are.
struct PlainRun {
  std::vector<vcluster::Upload> perturbed;  // What is changed of its inputs;
  std::string own_inputs;                   // or why nothing is, in a line.
  uint32_t calls = 0;                       // Of the region, by cuco; 1: its own loop makes them, 0: it is called once,
  std::string once;                         // for this reason, in a line.
  uint32_t own_calls = 0;                   // That its own loop makes.
  std::set<std::pair<int, uint32_t>> read;  // Rank and number of the outputs that it reads after every call.
  int exit_code = 0;                        // How it ends, which candidates may, too.
  std::string tolerance = {};               // Of floating-point outputs, and why, in a line; empty: there are none.
  bool own_device = false;                  // All ranks choose the same device; each was given one of its own.
};

// In lines, for the cache. Inverse of each other; nothing of a text that is none.
std::string to_text(const PlainRun& run);
std::optional<PlainRun> parse_plain_run(const std::string& text);

// Gives every output of a baseline the type of the buffer it was copied from, and a name that does not depend on lines
// of source. Outputs of unknown type stay bytes and are compared exactly.
void describe_baseline(Capture& capture, const model::Program& program);

// The same for a candidate, which goes by the baseline's order of outputs.
void describe_candidate(Capture& capture, const Capture& baseline);

// What the runner has to look at in candidates, whose communication it may not see: where the baseline received.
std::vector<vcluster::Watch> watches_of(const Capture& baseline);

// What the run copied to devices before its region and may be changed without changing what the program does: content
// that is floating-point wherever it went.
std::vector<vcluster::Upload> floating_uploads(const vcluster::RunReport& report, const model::Program& program);

// Outputs that are copied to the host after the region from what it writes, by rank and number.
std::set<std::pair<int, uint32_t>> region_outputs(const vcluster::RunReport& report, const model::Program& program);

// Those places that were chosen.
std::vector<vcluster::ReadBack> chosen(std::vector<vcluster::ReadBack> places,
                                       const std::set<std::pair<int, uint32_t>>& outputs);

// For a verdict's notes: what of a plain program is compared, what does not vary, how often its region is called.
std::string plain_note(const Capture& baseline, const PlainRun& run);

}  // namespace cuco::evaluate
