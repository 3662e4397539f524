// The launches right before sends that write what these take, and how their blocks write it, from a traced run. It
// holds for launches like the traced ones: the same grid and block, and the same of every number among their arguments
// that was the same in all of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/access_trace.h"

namespace cuco::rewrite {

// What block (x, y, z) writes of a buffer: `count` pieces of `bytes`, `stride` apart, the first at
// offset + x * steps[0] + y * steps[1] + z * steps[2] behind a pointer. It may write less, and nothing else of it.
struct WrittenTiles {
  uint32_t parameter = 0, field = 0;  // Of the pointer.
  int64_t offset = 0;
  std::array<int64_t, 3> steps = {};
  uint64_t bytes = 0, stride = 0, count = 1;
  uint64_t filled = 0;  // So many bytes from the offset on have one block each; 0: some have none or several.

  bool operator==(const WrittenTiles&) const = default;
};

struct SendShape {
  std::array<uint32_t, 3> grid = {}, block = {};
  std::vector<WrittenTiles> tiles;           // In order of parameter and field.
  std::vector<model::TracedNumber> numbers;  // That every such launch had.

  bool operator==(const SendShape&) const = default;
};

// One launch in the source.
struct SendingLaunch {
  std::string place;  // "file:line".
  std::string kernel;
  std::string obstacle;  // Why it cannot send, as the end of a sentence; empty when it can.
  std::vector<SendShape> shapes;
};

// A send or receive in the source. Those of one group are one exchange.
struct PairwiseCall {
  std::string place;
  uint32_t group;  // model::kNone: the call is an exchange by itself.
};

// For the sends among these calls. Empty: no kernel comes right before one that it feeds.
std::vector<SendingLaunch> sending_launches(const model::AccessTrace& trace, const std::vector<PairwiseCall>& calls);

// How the launch writes the buffer.
WrittenTiles written_tiles(const model::TracedLaunch& launch, uint32_t buffer);

}  // namespace cuco::rewrite
