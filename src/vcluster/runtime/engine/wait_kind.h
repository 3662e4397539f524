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

// What others must do before a thread can go on.
class Awaited {
 public:
  virtual ~Awaited() = default;
  // Who has done it so far, as the end of a sentence.
  virtual std::string progress() const = 0;
};

// For Signal and Counter: index and least value; for Poll: address and value seen; for barriers: their number.
struct ThreadWait {
  WaitKind kind = WaitKind::None;
  uint64_t object = 0;
  uint64_t wanted = 0;
  uint64_t seen = 0;
  const Awaited* awaited = nullptr;
  bool by_swap = false;  // For Poll: by an exchange or compare-and-swap that fails.
};

std::string to_text(const ThreadWait& wait);

}  // namespace cuco::vcluster
