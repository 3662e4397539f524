// Sets of bytes of one buffer, as sorted ranges with gaps between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/access_trace.h"

namespace cuco::footprint {

struct ByteRange {
  uint64_t begin = 0, end = 0;

  uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

using ByteRanges = std::vector<ByteRange>;

// Sorts, drops what is empty and joins what touches.
ByteRanges normalised(ByteRanges ranges);

// Of sets that are normalised.
uint64_t byte_count(const ByteRanges& ranges);
ByteRanges intersection(const ByteRanges& a, const ByteRanges& b);
ByteRanges difference(const ByteRanges& a, const ByteRanges& b);

// Bytes that at least two of the sets hold.
ByteRanges shared_bytes(const std::vector<const ByteRanges*>& sets);

// What a block touches of a buffer; none: only bounds are known.
std::optional<ByteRanges> bytes_of(const model::TracedBlock& block, uint32_t buffer, bool written);

// Ranges of equal size at equal distances. A set is the union of a few.
struct Progression {
  ByteRange first;
  uint64_t stride = 0;  // Of one range: its size.
  uint64_t count = 1;
};
std::vector<Progression> progressions_of(const ByteRanges& ranges);

}  // namespace cuco::footprint
