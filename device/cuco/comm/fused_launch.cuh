// Kernels that send what they write. A launch whose bytes the next call sends waits for that call, which gives
// it the exchange: blocks store what they wrote into the windows of near peers, count what is done, and the last of
// each part of a message lets the peers know, or sends it through the network. One kernel then announces, computes,
// sends and waits. Where the call is not the one that was traced, or has other sizes, the launch runs as written and
// the exchange after it. Sender and receiver agree on the number of parts of a message, not on what is in them, so
// ranks may differ in this.
#pragma once

#include <cuco/comm/blocks.cuh>
#include <cuco/comm/producer.cuh>

namespace cuco::comm {

constexpr int kFusedParts = 16;
constexpr int kFusedRelays = 8;
constexpr unsigned kRelayBlocks = 8;  // Blocks that may wait for what is to be sent on.

// The grid of a launch, in units of one dimension, and the parts that they are dealt out to.
struct FusedGrid {
  int dimension, parts, parts_with_units;
  bool in_order;                   // Blocks go through the units one after the other as it is.
  unsigned tile_count, units;      // Blocks and units of the program's grid.
  unsigned cuts[kFusedParts + 1];  // Part k has the units from cuts[k] to cuts[k + 1].
};

template <typename T>
void add_pointer(std::vector<const void*>& all, T* pointer) {
  all.push_back(pointer);
}
template <typename T>
void add_pointer(std::vector<const void*>&, const T&) {}
// Those of a kernel's arguments that are pointers.
template <typename... Arguments>
std::vector<const void*> pointers_of(const Arguments&... arguments) {
  std::vector<const void*> all;
  (add_pointer(all, arguments), ...);
  return all;
}

inline bool has_shares(const Shape& shape) {
  int64_t units = along(shape.grid, shape.dimension);
  int64_t pitch = shape.piece_bytes == 0 ? shape.message_bytes : shape.piece_bytes * units;
  return pitch > 0 && pitch % units == 0 && shape.message_bytes % pitch == 0;
}

inline const char* why_not_in_parts(const Shape& shape) {
  if (shape.tiles.count != 0 && filled_by(shape.tiles, shape.grid) != shape.message_bytes)
    return "its tiles do not fill the message";
  return has_shares(shape) ? nullptr : "the units of its grid have no equal shares of the message";
}

// In place of a launch whose kernel gets an `Exchange`, a FusedGrid with more.
template <typename Exchange, typename Launch>
void defer_fused(const Shape& shape, dim3 grid, dim3 block, cudaStream_t stream, std::vector<const void*> pointers,
                 Launch launch, ncclDataType_t reduced = ncclNumTypes) {
  Deferred<FusedGrid> one = {given<Exchange, FusedGrid>(launch), stream, std::move(pointers), reduced};
  defer(std::move(one), {shape}, grid, block, 1, why_not_in_parts);
}
// The one that waits; without a launch where none does.
inline Deferred<FusedGrid> take_fused() {
  std::vector<Deferred<FusedGrid>> all = take_deferred<FusedGrid>();
  return all.empty() ? Deferred<FusedGrid>() : std::move(all[0]);
}

// Parts are small at both ends: the first leaves early, and little is left to send after the last block.
inline int cut_fused(unsigned units, int parts, unsigned* cuts) {
  unsigned sum = 0, all = 0;
  int with_units = 0;
  auto weight = [&](int part) { return part == 0 || part + 1 == parts ? 1 : 2; };
  for (int i = 0; i < parts; i++) all += weight(i);
  for (int i = 0; i <= parts; i++) {
    cuts[i] = (unsigned)(((uint64_t)units * sum + all / 2) / all);
    if (i > 0) with_units += cuts[i] > cuts[i - 1];
    sum += weight(i);
  }
  return with_units;
}

// Whether blocks in their linear order go through the units of the dimension one after the other.
inline bool is_in_order(const dim3& grid, int dimension) {
  if (dimension == 0) return grid.y == 1 && grid.z == 1;
  return dimension == 2 || grid.z == 1;
}

inline FusedGrid grid_of(const dim3& grid, int dimension, int parts) {
  FusedGrid fused = {};
  fused.dimension = dimension;
  fused.tile_count = grid.x * grid.y * grid.z, fused.units = along(grid, dimension);
  fused.parts = parts;
  fused.parts_with_units = cut_fused(fused.units, parts, fused.cuts);
  fused.in_order = is_in_order(grid, dimension);
  return fused;
}

// Block `linear` of a grid whose units come one after the other, so that parts are done one after the other.
__device__ inline uint3 block_in_order(const FusedGrid& fused, dim3 grid, unsigned linear) {
  unsigned each = fused.tile_count / fused.units;
  return block_at(grid, fused.dimension, linear / each, linear % each);
}

// The block to be.
__device__ inline uint3 block_in_turn(const FusedGrid& fused) {
  if (fused.in_order) return blockIdx;
  __shared__ uint3 block;
  if (thread_in_block() == 0) block = block_in_order(fused, gridDim, linear_block());
  __syncthreads();
  return block;
}

__device__ inline int part_with(const FusedGrid& fused, const uint3& block) {
  const unsigned unit = along(block, fused.dimension);
  int part = 0;
  while (fused.cuts[part + 1] <= unit) part++;
  return part;
}

__device__ inline unsigned blocks_in(const FusedGrid& fused, int part) {
  return (fused.cuts[part + 1] - fused.cuts[part]) * (fused.tile_count / fused.units);
}

}  // namespace cuco::comm
