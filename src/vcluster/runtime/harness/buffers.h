// The buffers that a program names to its harness: drawn, poisoned and captured here, straight in memory and in no
// virtual time.
#pragma once

#include <string>
#include <vector>

#include "cuco/draw.h"
#include "cuco/harness_abi.h"
#include "vcluster/capture.h"

namespace cuco::vcluster {

struct HarnessBuffer {
  cuco_buffer said = {};  // Its name points into `name`.
  std::string name;
  uint32_t index = 0;  // Among the buffers of its role.

  uint64_t bytes() const;
};

enum BufferRole : uint32_t { kInputRole = 0, kOutputRole = 1, kScratchRole = 2 };

// What is wrong with the program's words about a buffer, or empty. `said` may come from broken code.
std::string fault_of(const cuco_buffer& said);

// The inputs of a call: drawn for `iteration`, and each of 32 bits or more nudged by 2^-14 of itself, up or down as its
// place says and the other way round with -1, or not at all.
struct DrawnInputs {
  uint32_t iteration = 0;
  int nudge = 0;
};

// Poisons outputs and scratch, then draws inputs: a buffer that is both begins as an input.
void prepare_buffers(const std::vector<HarnessBuffer>& buffers, const RankKey& key, const DrawnInputs& inputs);

// The outputs as they are at this moment.
Capture capture_outputs(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration);

// Of a sampled run: what of the outputs is valid, at most some megabytes of each, which ones being drawn from the key.
// Of scratch a few elements, to show where the program writes.
Capture capture_parts(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration);

// Where the places lie that are wanted of this rank.
std::vector<uintptr_t> addresses_of(const std::vector<WantedPlace>& wanted, const std::vector<HarnessBuffer>& buffers,
                                    uint32_t rank);

// Marks the outputs whose bytes are not what they were. The names of those that are not, joined by commas.
std::string mark_changed(const std::vector<HarnessBuffer>& buffers, Capture& capture);

// A finding for every output of which the checking build knows that nothing wrote a part of it.
void check_outputs_written(const std::vector<HarnessBuffer>& buffers, uint32_t rank, uint32_t iteration);

}  // namespace cuco::vcluster
