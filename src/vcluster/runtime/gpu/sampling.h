// What a few blocks of a grid did, and what others of it may be taken to do.
#pragma once

#include <cstdint>
#include <vector>

#include "vcluster/runtime/timing/costs.h"

namespace cuco::vcluster {

struct BlockWork {
  CostCounters counters = {};
  uint64_t waits = 0;  // Latencies that nothing hides.
};

class BlockSample {
 public:
  static constexpr size_t kBlocks = 8;

  explicit BlockSample(size_t needed = kBlocks) : needed_(needed) {}

  void add(uint64_t index, const BlockWork& work);
  bool is_complete() const { return entries_.size() >= needed_; }
  uint64_t mean_operations() const;

  // Of a block that did not run. Where the work grows or shrinks all along the sample, as in triangular loops, it lies
  // between that of its neighbours; elsewhere it is the mean.
  BlockWork estimate(uint64_t index) const;

 private:
  struct Entry {
    uint64_t index;
    BlockWork work;
  };

  void summarise();

  size_t needed_;
  std::vector<Entry> entries_;  // By index.
  BlockWork mean_;
  bool has_trend_ = false;
};

// The order in which the blocks of a grid start when it is sampled: first one of every eighth of it, drawn, so that no
// block can know that it stands for others; then the rest as they come.
class SampledOrder {
 public:
  SampledOrder(uint64_t block_count, uint64_t seed);
  // These, then the rest as they come.
  explicit SampledOrder(std::vector<uint64_t> first);
  uint64_t block_at(uint64_t position) const;

 private:
  std::vector<uint64_t> first_;  // Empty where all blocks run.
  std::vector<uint64_t> sorted_;
};

// The same of a call that each block of a grid makes in rounds, such as once for every tile. Rounds 0, 1, 2, 4, 8, ...
// have samples of their own, which hold until the next of them.
class CallSample {
 public:
  explicit CallSample(uint64_t block_count, size_t needed = BlockSample::kBlocks)
      : block_count_(block_count), needed_(needed) {}

  void add(uint64_t round, uint64_t block, const BlockWork& work);
  bool is_complete(uint64_t round) const;
  BlockWork estimate(uint64_t round, uint64_t block) const;

 private:
  // Rounds deal out tiles to all blocks, so work that depends on the tile goes on from one round to the next.
  uint64_t index_of(uint64_t round, uint64_t block) const { return round * block_count_ + block; }

  uint64_t block_count_;
  size_t needed_;
  std::vector<BlockSample> by_length_;  // Of the round's binary number.
};

}  // namespace cuco::vcluster
