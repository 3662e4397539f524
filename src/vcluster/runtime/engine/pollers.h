// Threads that spin on memory. A thread that sees the same value at the same address again sleeps a moment, then until
// the memory changes. Two equal looks do not prove a spin loop, so when nothing else can run every such thread gets
// further turns. It is stuck once it comes back, again and again, to a state it was in: its stack and the registers
// that live across the look are the same, and nothing was updated in between.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "vcluster/runtime/gpu/block.h"

namespace cuco::vcluster {

// The running thread has loaded `value`, or failed to exchange it for another.
struct Look {
  const void* address;
  uint64_t value;
  int bytes;
  bool by_swap;
  const char* stack;  // Down to here it is the program's, and what it keeps in registers.
};

class Pollers {
 public:
  void look(const Look& look);
  void note_swap(GpuThread& thread, const void* address);

  void wake_changed();
  bool wake_all();  // False when nobody waits.
  size_t count() const { return waiting_.size(); }

  void note_change() { change_count_++; }

  // Words that threads have changed so far, by exchange or compare-and-swap and by any atomic update.
  uint64_t swap_count() const { return swap_count_; }
  uint64_t change_count() const { return swap_count_ + change_count_; }
  // Every thread that waits has come back to a state it was in.
  bool all_go_round() const;
  // Every thread that waits retries a swap of a word that no living thread has changed: there is nobody to wait for.
  bool all_retry_in_vain() const;

 private:
  struct Poller {
    Block* block;
    uint32_t thread;
  };
  // One value at one address, and the numbers of those who wait for another.
  struct Watch {
    PollEntry seen;
    std::set<uint64_t> waiting;
  };

  void add(const GpuThread& thread);
  void wake(uint64_t number);

  std::map<uint64_t, Poller> waiting_;  // By number, which counts waits.
  std::map<std::pair<const void*, uint64_t>, Watch> watches_;
  uint64_t wait_count_ = 0;
  uint64_t swap_count_ = 0, change_count_ = 0;
};

Pollers& pollers();

}  // namespace cuco::vcluster
