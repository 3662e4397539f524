// The modelled link. A NIC has one transmit and one receive line; a line carries one message at a time, in the order
// of reservation. Lines live in shared memory and are reserved without locks, so that a process that dies between
// two instructions cannot leave one held.
//
//   transmit:  start   = max(now, line free);  line busy for max(bytes / bandwidth, gap)
//   receive:   arrival = max(start + latency, line free) + bytes / bandwidth
//   sender's completion = arrival + latency
#pragma once

#include <atomic>
#include <cstdint>

namespace cuco::nic {

struct Link {
  double bytes_per_ns = 12.5;
  int64_t latency_ns = 10'000;
  int64_t gap_ns = 0;  // Least time between two messages of one NIC.
};

struct NicLines {
  std::atomic<int64_t> transmit_free_ns{0};
  std::atomic<int64_t> receive_free_ns{0};
};

struct Passage {
  int64_t start_ns;
  int64_t arrival_ns;
  int64_t completion_ns;  // When the sender learns of the arrival.
  int64_t busy_ns;        // How long the transmit line is taken.
};

int64_t serialisation_ns(const Link& link, uint64_t bytes);

// Takes the line for `duration_ns` from `earliest_ns` on, or from when it is free; returns the start.
int64_t reserve_line(std::atomic<int64_t>& line, int64_t earliest_ns, int64_t duration_ns);

Passage pass_message(const Link& link, NicLines& from, NicLines& to, int64_t now_ns, uint64_t bytes);

// A get: the request crosses the link, then the data comes back. `reader` asks, `owner` has the data.
Passage pass_get(const Link& link, NicLines& reader, NicLines& owner, int64_t now_ns, uint64_t bytes);

}  // namespace cuco::nic
