// A set of bytes that grows by ranges, for the footprints of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "model/access_trace.h"

namespace cuco::vcluster {

class ByteSet {
 public:
  void add(uint64_t begin, uint64_t end);

  // Buffer and direction are the caller's.
  model::Footprint footprint() const;

 private:
  // A block that leaves more holes than this is remembered by its bounds alone.
  static constexpr size_t kRangesMax = 8192;

  void merge_from(std::map<uint64_t, uint64_t>::iterator at);

  std::map<uint64_t, uint64_t> ranges_;  // End by begin; disjoint, with gaps between them.
  bool is_exact_ = true;
};

}  // namespace cuco::vcluster
