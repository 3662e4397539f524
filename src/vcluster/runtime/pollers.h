// Threads that spin on memory. A thread that sees the same value at the same address again sleeps a moment, then until
// the memory changes. Two equal looks do not prove a spin loop, so when nothing else can run every such thread gets
// another turn before the run is called stuck.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "vcluster/runtime/block.h"

namespace cuco::vcluster {

class Pollers {
 public:
  // The running thread has loaded `value`, or failed to exchange it for another.
  void look(const void* address, uint64_t value, int bytes, bool by_swap);
  void note_swap(GpuThread& thread, const void* address);

  void wake_changed();
  bool wake_all();  // False when nobody waits.
  size_t count() const { return waiting_.size(); }

  // Words that threads have changed by exchange or compare-and-swap so far.
  uint64_t swap_count() const { return swap_count_; }
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
  uint64_t swap_count_ = 0;
};

Pollers& pollers();

}  // namespace cuco::vcluster
