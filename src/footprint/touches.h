// What the launches of one place touch of one buffer, gathered from a trace over all ranks and rounds of loops: the
// unit that is folded.
#pragma once

#include <array>
#include <compare>
#include <string>
#include <vector>

#include "footprint/byte_ranges.h"
#include "footprint/line.h"
#include "model/access_trace.h"

namespace cuco::footprint {

struct LaunchKey {
  std::string place;  // "file:line".
  std::string kernel;

  auto operator<=>(const LaunchKey&) const = default;
};

struct Sample {
  Toucher toucher;
  ByteRanges bytes;

  bool operator==(const Sample&) const = default;
};

struct Touch {
  LaunchKey launch;
  std::array<uint32_t, 3> grid = {1, 1, 1}, threads = {1, 1, 1};
  uint32_t rank_count = 1, round_count = 1;  // Of all launches of the place with this grid.
  uint32_t buffer = 0;
  bool written = false;
  bool is_exact = true;  // False: a block leaves too many holes, and samples are missing.
  bool by_atomics = false;
  bool in_place = false;        // Written: some block also reads bytes that it writes.
  bool elsewhere = false;       // Some block of the launches writes memory that is no buffer of its device.
  std::vector<Sample> samples;  // Every block of the launches that touch the buffer, by rank, round and block.
};

// Buffers that a call sends from or receives into, and memory made for windows, on any rank.
std::vector<uint32_t> communicated_buffers(const model::AccessTrace& trace);

// Of these buffers, in the order of the launches.
std::vector<Touch> touches_of(const model::AccessTrace& trace, const std::vector<uint32_t>& buffers);

}  // namespace cuco::footprint
