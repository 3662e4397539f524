// What each stream and link of each rank did during the timed region, from a trace of the virtual cluster.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cuco::report {

struct Slice {
  double begin_us = 0, end_us = 0;  // From the beginning of the region.
  std::string name;
};

struct Track {
  int rank = 0;
  uint64_t number = 0;  // Orders the tracks of a rank.
  std::string name;     // "default stream", "stream 1", "NIC".
  bool is_link = false;
  std::vector<Slice> slices;
};

struct Timeline {
  std::vector<Track> tracks;  // By rank, then number.
  double length_us = 0;       // Of the slowest rank.
};

// Reads a trace (Chrome's format) and keeps what lies between the two times. Tracks of single blocks are left out.
Result<Timeline> read_timeline(const std::string& trace, double begin_us, double end_us);

}  // namespace cuco::report
