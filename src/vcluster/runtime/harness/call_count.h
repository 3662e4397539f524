// How many calls of its region a run in a loop makes, the same for all ranks although they are ahead of each other. A
// program that goes round in slots (signals, barriers, flags, pieces of windows) shows by using ones that no earlier
// call had; it is called until each of them can have been used twice more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vcluster/call_loop.h"

namespace cuco::vcluster {

class CallCount {
 public:
  explicit CallCount(const CallLoop& loop) : loop_(loop), end_(loop.calls) {}

  // The call of this number uses a slot that none had used.
  void on_new_slot(uint32_t call) { slots_end_ = std::max(slots_end_, call + 1); }

  // Whether a rank that has made so many calls makes another. Where the first rank gets to the end, the others do.
  bool goes_on(uint32_t made, uint64_t operations) {
    bool is_first = made > most_;
    most_ = std::max(most_, made);
    bool may_end = loop_.few_if_large > 0 && (made == loop_.few_if_large || made == kFewCalls);
    if (may_end && is_first && made < end_ && operations > many_operations()) end_ = made;
    if (made >= end_ && !is_decided_) {
      end_ = std::max(end_, std::min(kUses * slots_end_, loop_.calls_max));
      is_decided_ = made >= end_;
    }
    return made < end_;
  }

  // Some slot has not been used twice more.
  bool is_short() const { return kUses * slots_end_ > end_; }
  // The limit came before the slots had come round.
  bool was_cut() const { return is_short() && end_ >= loop_.calls_max && loop_.calls_max > loop_.calls; }

 private:
  static constexpr uint32_t kUses = 3;
  // Of kernels in kFewCalls calls, all ranks together: a second or two with all checks.
  static constexpr uint64_t kManyOperations = 100'000'000;

  // The few calls of a program without a harness are fewer still, and so is what they may cost.
  uint64_t many_operations() const { return loop_.few_if_large < kFewCalls ? kManyOperations / 4 : kManyOperations; }

  CallLoop loop_;
  uint32_t end_;
  uint32_t most_ = 0;       // Calls that any rank has made.
  uint32_t slots_end_ = 0;  // No call from here on has used a new one.
  bool is_decided_ = false;
};

}  // namespace cuco::vcluster
