// A set of bytes that grows by ranges, for the footprints of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/access_trace.h"

namespace cuco::vcluster {

class ByteSet {
 public:
  void add(uint64_t begin, uint64_t end);

  // One that holds all bytes. Buffer and direction are the caller's, here and below.
  model::Footprint footprint();
  // Exact ones that hold just these bytes, from the first byte to the last; none when there are too many holes.
  std::vector<model::Footprint> pieces();

 private:
  // A block that leaves more holes than this is remembered by its bounds alone.
  static constexpr size_t kRangesMax = 8192;

  struct Range {
    uint64_t begin, end;
  };

  void settle();
  model::Footprint piece_at(size_t first) const;

  std::vector<Range> ranges_;  // In the order of adding; after settle() sorted, disjoint, with gaps between them.
  size_t settle_at_ = 4 * kRangesMax;
  bool is_exact_ = true;
};

}  // namespace cuco::vcluster
