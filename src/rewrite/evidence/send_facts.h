// The launches right before sends that write what these take, and how their blocks write it, from a traced run. Where
// further sizes show the same it holds for all launches whose numbers go together as in the traced ones. Else it holds
// for those with the same grid and block, and the same of every number among their arguments that was the same in all
// of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/access_trace.h"
#include "rewrite/evidence/launch_relations.h"

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

// The same by the numbers of a launch, of blocks that fill what they write.
struct SizedTiles {
  uint32_t parameter = 0, field = 0;
  Term offset = {};
  std::array<Term, 3> steps = {};
  Term bytes = {}, stride = {}, count = {}, filled = {};
};
struct SizedShape {
  std::array<uint32_t, 3> grid = {}, block = {};  // 0: extents may differ, or follow by a relation.
  std::vector<Relation> relations;
  std::vector<SizedTiles> tiles;  // In order of parameter and field.
};

// One launch in the source.
struct SendingLaunch {
  std::string place;  // "file:line".
  std::string kernel;
  std::string obstacle;  // Why it cannot send, as the end of a sentence; empty when it can.
  std::vector<SendShape> shapes;
  std::optional<SizedShape> sized = {};  // Of all its launches, also of other sizes, in place of the shapes.
};

// A send or receive in the source. Those of one group are one exchange.
struct PairwiseCall {
  std::string place;
  uint32_t group;  // model::kNone: the call is an exchange by itself.
};

// For the sends among these calls. Empty: no kernel comes right before one that it feeds.
std::vector<SendingLaunch> sending_launches(const model::AccessTrace& trace, const std::vector<PairwiseCall>& calls);

struct SendSample {
  const model::TracedLaunch* launch;
  std::vector<WrittenTiles> tiles;
};

// The form of all these launches, `own` of the traced size and at least two unlike them; nothing where there is none.
std::optional<SizedShape> sized_shape(const std::vector<SendSample>& own, const std::vector<SendSample>& further);

// How the launch writes the buffer.
WrittenTiles written_tiles(const model::TracedLaunch& launch, uint32_t buffer);

}  // namespace cuco::rewrite
