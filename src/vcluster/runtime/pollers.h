// Threads that spin on memory. A thread that sees the same value at the same address again sleeps a moment, then until
// the memory changes. Two equal looks do not prove a spin loop, so when nothing else can run every such thread gets
// another turn before the run is called stuck.
#pragma once

#include <cstdint>
#include <vector>

#include "vcluster/runtime/block.h"

namespace cuco::vcluster {

class Pollers {
 public:
  // The running thread has loaded `value`.
  void look(const void* address, uint64_t value, int bytes);

  void wake_changed();
  bool wake_all();  // False when nobody waits.
  size_t count() const { return waiting_.size(); }

 private:
  struct Poller {
    Block* block;
    uint32_t thread;
  };

  std::vector<Poller> waiting_;
};

Pollers& pollers();

}  // namespace cuco::vcluster
