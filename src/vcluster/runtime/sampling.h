// What a few blocks of a grid did, and what others of it may be taken to do.
#pragma once

#include <cstdint>
#include <vector>

#include "vcluster/runtime/costs.h"

namespace cuco::vcluster {

struct BlockWork {
  CostCounters counters = {};
  uint64_t waits = 0;  // Latencies that nothing hides.
};

class BlockSample {
 public:
  static constexpr size_t kBlocks = 8;

  // The order in which the blocks of a grid start when it is sampled: the first ones are spread evenly over it.
  static uint64_t block_at(uint64_t position, uint64_t block_count);

  void add(uint64_t index, const BlockWork& work);
  bool is_complete() const { return entries_.size() >= kBlocks; }

  // Of a block that did not run. Where the work grows or shrinks all along the sample, as in triangular loops, it lies
  // between that of its neighbours; elsewhere it is the mean.
  BlockWork estimate(uint64_t index) const;

 private:
  struct Entry {
    uint64_t index;
    BlockWork work;
  };

  void summarise();

  std::vector<Entry> entries_;  // By index.
  BlockWork mean_;
  bool has_trend_ = false;
};

}  // namespace cuco::vcluster
