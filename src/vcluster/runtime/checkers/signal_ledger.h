// Watches one signal: what was sent to it, what was waited for, and whether the two fit.
// Findings: signal_accounting (mixed actions, reset while in flight, more signals than waited for) and stale_wait.
#pragma once

#include <cstdint>
#include <string>

namespace cuco::vcluster {

class Grid;

class SignalLedger {
 public:
  enum class Action : uint8_t { Increment, Add };

  void on_post(Action action, int rank, uint32_t signal);
  void on_arrival() { in_flight_--; }
  void on_wait(uint64_t least);
  void on_read() { was_read_ = true; }
  void on_reset(int rank, uint32_t signal);

  // `value` is what the signal holds when the run is over.
  void check_end(uint64_t value, int rank, uint32_t signal) const;

 private:
  int in_flight_ = 0;
  bool increments_ = false, adds_ = false, was_read_ = false, was_waited_ = false;
  uint64_t least_max_ = 0;     // Of all waits since the last reset.
  uint64_t round_launch_ = 0;  // The launch that made the latest wait, and the highest wait before it.
  uint64_t least_before_ = 0;
  std::string stale_place_;  // Of a wait that an earlier launch's wait had already covered.
};

}  // namespace cuco::vcluster
