// Writes down what a NIC did, for statistics.h. A program may mark the stretches it times: from the first mark on only
// what happens inside counts, since connections are made and memory is mapped before them, which takes milliseconds.
#pragma once

#include <atomic>
#include <cstdint>

#include "nic/settings.h"
#include "nic/statistics.h"
#include "nic/time_union.h"

namespace cuco::nic {

// A delivery at its end.
struct Arrival {
  uint64_t bytes = 0;
  int64_t due_ns = 0;
  int64_t in_place_ns = 0;
  int64_t issue_late_ns = 0;  // How late it was handed to the device.
  int64_t carry_ns = 0;       // From then until the device reported it.
  bool failed = false;
};

class Recorder {
 public:
  Recorder(const Settings& settings, NicCounters& counters) : settings_(settings), counters_(counters) {}

  // From the program's threads.
  void begin_timed();
  void end_timed() { timed_since_ns_.store(0, std::memory_order_relaxed); }

  // From the threads that post.
  void sent(uint64_t bytes, int64_t busy_ns);
  void staged();
  // From the thread that delivers.
  void arrived(const Arrival& arrival);

 private:
  bool counts() const;
  void count_overdue(const Arrival& arrival);

  const Settings& settings_;
  NicCounters& counters_;
  std::atomic<int64_t> timed_since_ns_{0};  // 0: nothing is being timed.
  TimeUnion overdue_;
  TimeUnion carried_;
};

}  // namespace cuco::nic
