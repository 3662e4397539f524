// Watches one signal or counter: what was sent to it, what was waited for, and whether the two fit.
// Findings: signal_accounting (mixed actions, reset while in flight, before it was waited for or unordered with the
// next signal, signals that no wait can ever match) and stale_wait. Signals left at the end are fine where a later
// round would wait for them: credits, or data sent ahead.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "vcluster/runtime/checkers/actors.h"
#include "vcluster/runtime/engine/wait_kind.h"

namespace cuco::vcluster {

class SignalLedger : public Awaited {
 public:
  enum class Action : uint8_t { Increment, Add };

  // `rank` is the one whose signal it is; the running thread has posted.
  void on_post(Action action, int rank, uint32_t signal);
  void on_counter_post() { note_sender(); }
  void on_arrival() { in_flight_--; }
  void on_wait(uint64_t least, int rank, uint32_t signal);
  void on_wait_met();
  void on_read() { was_read_ = true; }
  // `value` is what the reset throws away; `what` is "signal 3".
  void on_reset(uint64_t value, int rank, const std::string& what);

  // `value` is what the signal holds when the run is over.
  void check_end(uint64_t value, int rank, uint32_t signal) const;

  std::string progress() const override;

 private:
  struct Sender {
    uint64_t count = 0;
    std::string place;  // Of the latest put or signal.
  };

  void note_sender();
  void check_reset(int rank, uint32_t signal);
  void note_feedback();
  void report_stale(uint64_t least, int rank, uint32_t signal);
  bool has_later_wait() const;

  int in_flight_ = 0;
  uint64_t sent_ = 0, sent_when_met_ = 0;  // Posts so far, and when the latest wait was met.
  bool increments_ = false, adds_ = false, was_read_ = false, was_waited_ = false;
  uint64_t least_max_ = 0;  // Of all waits since the last reset.
  // The latest wait: waits of other blocks of its launch belong to the same round.
  uint64_t round_launch_ = 0, round_block_ = 0;
  bool waits_grow_ = false;                             // A round waited for more than an earlier one had.
  bool has_feedback_ = false;                           // Somebody sent to it who knew of a wait.
  std::map<std::pair<uint64_t, uint64_t>, Epoch> met_;  // By launch and block: its first wait.
  std::string repeat_place_;                            // Of a wait for no more than an earlier round had waited for.
  std::string stale_place_;                             // The same, when more had been sent in between: it is reported.
  std::map<int, Sender> senders_;
  Epoch reset_;  // The latest reset; of no actor before the first and once it is reported.
  std::string reset_place_;
};

}  // namespace cuco::vcluster
