#include "nic/link_model.h"

#include <algorithm>
#include <cmath>

namespace cuco::nic {

int64_t serialisation_ns(const Link& link, uint64_t bytes) {
  return std::llround(static_cast<double>(bytes) / link.bytes_per_ns);
}

int64_t reserve_line(std::atomic<int64_t>& line, int64_t earliest_ns, int64_t duration_ns) {
  int64_t free_at = line.load(std::memory_order_relaxed);
  int64_t start = 0;
  do {
    start = std::max(earliest_ns, free_at);
  } while (!line.compare_exchange_weak(free_at, start + duration_ns, std::memory_order_relaxed));
  return start;
}

Passage pass_message(const Link& link, NicLines& from, NicLines& to, int64_t now_ns, uint64_t bytes) {
  const int64_t wire = serialisation_ns(link, bytes);
  const int64_t busy = std::max(wire, link.gap_ns);
  const int64_t start = reserve_line(from.transmit_free_ns, now_ns, busy);
  const int64_t arrival = reserve_line(to.receive_free_ns, start + link.latency_ns, wire) + wire;
  return {start, arrival, arrival + link.latency_ns, busy};
}

Passage pass_get(const Link& link, NicLines& reader, NicLines& owner, int64_t now_ns, uint64_t bytes) {
  const int64_t asked = reserve_line(reader.transmit_free_ns, now_ns, link.gap_ns);
  Passage passage = pass_message(link, owner, reader, asked + link.latency_ns, bytes);
  passage.completion_ns = passage.arrival_ns;
  return passage;
}

}  // namespace cuco::nic
