// All that is known about the footprints of a program: from one traced run of it, from runs with other inputs and
// another order of blocks, and from runs at other sizes and rank counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "footprint/footprint.h"
#include "footprint/general_form.h"

namespace cuco::footprint {

// What a run was made with.
struct Shape {
  std::string difference;  // From the first run: "n=128", "8 ranks". Empty: it is the first.
  Symbols parameters;
  uint32_t rank_count = 1;
};

struct ShapedTrace {
  Shape shape;
  model::AccessTrace trace;
};

struct StudyInput {
  ShapedTrace traced;
  std::optional<model::AccessTrace> other_inputs, other_order;
  std::vector<ShapedTrace> further;
  std::vector<std::string> refused;  // What was tried and did not run: "m=256: it ended with exit".
  bool all_buffers = false;
  std::string kernel;  // Only launches of kernels whose name has this in it.
};

struct StudiedFootprint {
  Footprint footprint;
  std::vector<std::string> names;  // Of the symbols in `general`.
  // Over all shapes that were tried, at least two further sizes and two further rank counts; none: the form is for
  // exactly the traced shape.
  std::optional<GeneralForm> general;
  std::string scope;  // Where the form holds, as a sentence without its end.
};

struct StudiedBuffer {
  uint32_t number = 0;
  uint64_t bytes = 0;
  std::string origin;
  uint32_t element_bytes = 1;      // Of the calls that move it; 1 when none does or they differ.
  std::vector<std::string> moves;  // "sent by ncclAllGather at file:line".
};

struct Study {
  Shape shape;
  std::vector<StudiedBuffer> buffers;
  std::vector<StudiedFootprint> footprints;
  std::vector<UnwrittenSend> unwritten;
  std::vector<std::string> tried;  // Differences of the further shapes.
  std::vector<std::string> refused;

  uint32_t element_bytes_of(uint32_t buffer) const;  // 1 where it is none of these.
};

Study study(const StudyInput& input);

}  // namespace cuco::footprint
