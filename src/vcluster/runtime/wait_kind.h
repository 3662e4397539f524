// What a GPU thread can wait for, and how to say it.
#pragma once

#include <cstdint>
#include <string>

namespace cuco::vcluster {

enum class WaitKind : uint8_t {
  None,
  Barrier,
  Warp,
  ActiveMask,
  Poll,
  Sleep,
  Signal,
  Counter,
  Flush,
  TeamBarrier,
  GridBarrier
};

// For Signal and Counter: index and least value; for Poll: address and value seen; for barriers: their number.
struct ThreadWait {
  WaitKind kind = WaitKind::None;
  uint64_t object = 0;
  uint64_t wanted = 0;
  uint64_t seen = 0;
};

std::string to_text(const ThreadWait& wait);

}  // namespace cuco::vcluster
