// Which blocks of a large grid run when results are compared: the first and the last, which show where the grid writes;
// and those that write what another program's run of the same key has put there, or, without such a run, drawn ones.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace cuco::vcluster {

using GridSize = std::array<uint64_t, 3>;

struct AddressRange {
  uintptr_t begin, end;

  bool operator==(const AddressRange&) const = default;
};

// Where a block has written.
class WrittenRanges {
 public:
  void add(uintptr_t begin, uintptr_t end);
  // Sorted and disjoint, with gaps between them.
  const std::vector<AddressRange>& ranges();

 private:
  void settle();

  std::vector<AddressRange> ranges_;
  size_t settle_at_ = 1u << 16;
};

using BlockWrites = std::map<uint64_t, WrittenRanges>;  // By number of the block.

// In the order in which they run; `seed` follows from the key and the shape of the grid. Those for whom it is not yet
// known which blocks write what is wanted begin with the neighbours of the first.
std::vector<uint64_t> first_blocks(const GridSize& grid, uint64_t seed, bool has_wanted);

// The blocks that write the addresses, if blocks write like the first one, in even steps along each dimension, which
// its neighbours show. Not more than `count_max`.
std::vector<uint64_t> blocks_that_write(const GridSize& grid, BlockWrites& seen, const std::vector<uintptr_t>& wanted,
                                        size_t count_max);

// What of the memory between the first and the last byte that these blocks wrote they did not write themselves.
std::vector<AddressRange> gaps_between(BlockWrites& seen);

}  // namespace cuco::vcluster
