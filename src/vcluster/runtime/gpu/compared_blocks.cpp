#include "vcluster/runtime/gpu/compared_blocks.h"

#include <algorithm>

#include "base/random.h"

namespace cuco::vcluster {

namespace {

constexpr uint64_t kDrawnBlocks = 2;

void add_once(uint64_t block, std::vector<uint64_t>& all) {
  if (std::find(all.begin(), all.end(), block) == all.end()) all.push_back(block);
}

uint64_t count_of(const GridSize& grid) { return grid[0] * grid[1] * grid[2]; }

// From a block to its neighbour along each dimension.
GridSize steps_of(const GridSize& grid) { return {1, grid[0], grid[0] * grid[1]}; }

uintptr_t lowest_of(WrittenRanges& writes) { return writes.ranges().empty() ? 0 : writes.ranges().front().begin; }

// By how much the writes of blocks move along each dimension; 0: they do not, or it was not seen.
GridSize strides_of(const GridSize& grid, BlockWrites& seen) {
  GridSize strides = {}, steps = steps_of(grid);
  uintptr_t origin = lowest_of(seen[0]);
  for (size_t i = 0; i < 3; i++) {
    auto neighbour = grid[i] > 1 ? seen.find(steps[i]) : seen.end();
    if (neighbour == seen.end()) continue;
    uintptr_t lowest = lowest_of(neighbour->second);
    if (lowest > origin) strides[i] = lowest - origin;
  }
  return strides;
}

// The block whose copy of the range holds what lies `distance` behind the first block's; false: none.
bool find_block(const GridSize& grid, const GridSize& strides, uint64_t distance, uint64_t bytes, uint64_t& block) {
  for (uint64_t z = 0; z < grid[2] && z * strides[2] <= distance; z++)
    for (uint64_t y = 0; y < grid[1] && z * strides[2] + y * strides[1] <= distance; y++) {
      uint64_t rest = distance - z * strides[2] - y * strides[1];
      uint64_t x = strides[0] > 0 ? std::min(rest / strides[0], grid[0] - 1) : 0;
      if (rest - x * strides[0] >= bytes) continue;
      block = x + grid[0] * (y + grid[1] * z);
      return true;
    }
  return false;
}

}  // namespace

void WrittenRanges::add(uintptr_t begin, uintptr_t end) {
  if (!ranges_.empty() && ranges_.back().end == begin) {
    ranges_.back().end = end;
    return;
  }
  ranges_.push_back({begin, end});
  if (ranges_.size() < settle_at_) return;
  settle();
  settle_at_ = std::max<size_t>(1u << 16, 2 * ranges_.size());
}

void WrittenRanges::settle() {
  std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const AddressRange& range : ranges_) {
    if (kept > 0 && range.begin <= ranges_[kept - 1].end)
      ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
    else
      ranges_[kept++] = range;
  }
  ranges_.resize(kept);
}

const std::vector<AddressRange>& WrittenRanges::ranges() {
  settle();
  return ranges_;
}

std::vector<uint64_t> first_blocks(const GridSize& grid, uint64_t seed, bool has_wanted) {
  std::vector<uint64_t> blocks = {0};
  uint64_t count = count_of(grid);
  GridSize steps = steps_of(grid);
  for (size_t i = 0; has_wanted && i < 3; i++)
    if (grid[i] > 1) add_once(steps[i], blocks);
  add_once(count - 1, blocks);
  Random random(seed);
  for (uint64_t i = 0; !has_wanted && i < kDrawnBlocks; i++) add_once(random.below(count), blocks);
  return blocks;
}

std::vector<uint64_t> blocks_that_write(const GridSize& grid, BlockWrites& seen, const std::vector<uintptr_t>& wanted,
                                        size_t count_max) {
  std::vector<uint64_t> blocks;
  GridSize strides = strides_of(grid, seen);
  for (uintptr_t address : wanted)
    for (const AddressRange& range : seen[0].ranges()) {
      uint64_t block = 0;
      if (blocks.size() == count_max || address < range.begin) break;
      if (!find_block(grid, strides, address - range.begin, range.end - range.begin, block)) continue;
      add_once(block, blocks);
      break;
    }
  return blocks;
}

std::vector<AddressRange> gaps_between(BlockWrites& seen) {
  WrittenRanges all;
  for (auto& [block, writes] : seen)
    for (const AddressRange& range : writes.ranges()) all.add(range.begin, range.end);
  const std::vector<AddressRange>& ranges = all.ranges();
  std::vector<AddressRange> gaps;
  for (size_t i = 1; i < ranges.size(); i++) gaps.push_back({ranges[i - 1].end, ranges[i].begin});
  return gaps;
}

}  // namespace cuco::vcluster
