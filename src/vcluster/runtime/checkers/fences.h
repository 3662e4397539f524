// What one thread of a kernel knows, what its fences have released, and what it has seen but not yet acquired.
#pragma once

#include <array>

#include "vcluster/runtime/checkers/access.h"
#include "vcluster/runtime/checkers/vector_clock.h"

namespace cuco::vcluster {

// What a flag, a barrier or a signal carries to whoever sees it.
struct Released {
  ClockPtr block, device, system;  // Behind fences of that scope or a wider one.
  ClockPtr weak;                   // As if everything before it were released.
  uint32_t actor = 0;              // Of the latest release: which GPU, and which block of which kernel.
  int rank = -1;
  uint64_t block_index = 0;
};

struct ThreadClock {
  ClockPtr known;
  ClockPtr fenced_block, fenced_device, fenced_system;  // `known` as of the latest fence of at least that scope.
  ClockPtr seen_block, seen_device, seen_system;        // Acquired by the next fence of at least that scope.
  uint32_t clock = 1;
  uint32_t segment = 0;  // Of its accesses since any of the above changed; 0: it has made none.

  void fence(AccessScope scope);
  // A store that others may see: carries what the fences before it have released.
  void release_into(Released& flag) const;
  // A load that saw it. `same_device` and `same_block` tell how far the two sides are apart.
  void see(const Released& flag, bool same_device, bool same_block);
  // Several threads meet: from here on each has what all had.
  void join(const ThreadClock& other);

  using Part = ClockPtr ThreadClock::*;
  static const std::array<Part, 3> kFenced;
  static const std::array<Part, 7> kParts;
};

}  // namespace cuco::vcluster
