#include "nic/recorder.h"

#include <algorithm>

#include "nic/clock.h"

namespace cuco::nic {

void Recorder::begin_timed() {
  if (!counters_.marked.exchange(true)) counters_.forget();
  timed_since_ns_.store(now_ns(), std::memory_order_relaxed);
}

bool Recorder::counts() const {
  return !counters_.marked.load(std::memory_order_relaxed) || timed_since_ns_.load(std::memory_order_relaxed) != 0;
}

void Recorder::sent(uint64_t bytes, int64_t busy_ns) {
  if (!counts()) return;
  ++counters_.sent_messages;
  counters_.sent_bytes += bytes;
  counters_.transmit_busy_ns += busy_ns;
}

void Recorder::staged() {
  if (counts()) ++counters_.staged_messages;
}

void Recorder::arrived(const Arrival& arrival) {
  if (!counts()) return;
  ++counters_.received_messages;
  counters_.received_bytes += arrival.bytes;
  counters_.issue_late_ns += arrival.issue_late_ns;
  counters_.carry_ns += arrival.carry_ns;
  if (arrival.failed) {
    ++counters_.failed_messages;
    return;
  }
  const int64_t late_ns = arrival.in_place_ns - arrival.due_ns;
  count_lateness(counters_, late_ns, settings_.late_ns);
  if (late_ns > settings_.late_ns && 2 * arrival.issue_late_ns > late_ns) ++counters_.late_by_issue;
  count_overdue(arrival);
}

void Recorder::count_overdue(const Arrival& arrival) {
  const int64_t since = timed_since_ns_.load(std::memory_order_relaxed);
  const int64_t flight_ns = settings_.link.latency_ns + serialisation_ns(settings_.link, arrival.bytes);
  const int64_t end = arrival.in_place_ns;
  counters_.overdue_ns += overdue_.add(std::max(since, arrival.due_ns), end);
  counters_.carried_ns += carried_.add(std::max(since, arrival.due_ns - flight_ns), std::max(end, arrival.due_ns));
}

}  // namespace cuco::nic
