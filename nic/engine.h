// The protocol between the host and the engine, a kernel of one block that copies small messages and adds to signals.
// Stream operations would cost about 20 us a message; the engine polls a ring in pinned host memory instead.
//
// An order is two sectors of 32 bytes, because that is what a GPU reads from host memory at once; each sector ends with
// the order's number + 1, so that a half-written order is never taken for a whole one.
#pragma once

#include <cstdint>

namespace cuco::nic {

struct alignas(64) EngineOrder {
  uint64_t to;
  uint64_t from;  // 0: the bytes, at most 8, are in `word`.
  uint64_t bytes;
  uint64_t number_of_copy;

  uint64_t word;
  uint64_t signal;  // 0: no signal.
  uint64_t add;
  uint64_t number_of_signal;
};

struct EngineState {
  alignas(64) uint64_t finished;  // Orders below this number are carried out. Written by the engine.
  alignas(64) uint64_t started;   // The launch that runs. Written by the engine.
  alignas(64) uint64_t leave;     // Engines up to this launch go when they find no order. Written by the host.
};

constexpr uint32_t kEngineOrders = 1024;  // A power of two.
constexpr uint32_t kEngineThreads = 512;
constexpr uint64_t kEngineBytesMax = 128 << 10;

}  // namespace cuco::nic
