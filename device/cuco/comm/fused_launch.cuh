// Kernels that send what they write. A launch whose bytes the next call sends waits for that call, which gives
// it the exchange: blocks store what they wrote into the windows of near peers, count what is done, and the last of
// each part of a message lets the peers know, or sends it through the network. One kernel then announces, computes,
// sends and waits. Where the call is not the one that was traced, or has other sizes, the launch runs as written and
// the exchange after it. Sender and receiver agree on the number of parts of a message, not on what is in them, so
// ranks may differ in this.
#pragma once

#include <cuco/comm/blocks.cuh>
#include <cuco/comm/communicator.cuh>
#include <cuco/comm/shape.cuh>
#include <functional>

namespace cuco::comm {

constexpr int kFusedParts = 16;
constexpr int kFusedRelays = 8;
constexpr unsigned kRelayBlocks = 8;  // Blocks that may wait for what is to be sent on.

// The grid of a launch, in units of one dimension, and the parts that they are dealt out to.
struct FusedGrid {
  int dimension, parts, parts_with_units;
  bool in_order;                          // Blocks go through the units one after the other as it is.
  unsigned units, cuts[kFusedParts + 1];  // Part k has the units from cuts[k] to cuts[k + 1].
};

struct DeferredLaunch {
  std::function<void(const FusedGrid*)> launch;  // With nothing: as the program wrote it.
  Shape shape;
  cudaStream_t stream;
  std::vector<const void*> pointers;      // That the kernel gets.
  ncclDataType_t reduced = ncclNumTypes;  // The elements that it reduces; none for a kernel that moves bytes.
};
struct DeferredLaunches {
  DeferredLaunch one;
  std::map<std::pair<ncclComm_t, cudaStream_t>, void*> counters;
};
inline DeferredLaunches& deferred() {
  thread_local DeferredLaunches all;
  return all;
}

inline void launch_deferred() {
  DeferredLaunch one = std::move(deferred().one);
  deferred().one = {};
  if (one.launch) one.launch(nullptr);
}

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

inline unsigned units_of(const dim3& grid, int dimension) {
  return dimension == 0 ? grid.x : dimension == 1 ? grid.y : grid.z;
}
// Whether units have equal shares of the message.
inline bool has_shares(const Shape& shape) {
  int64_t units = units_of(shape.grid, shape.dimension);
  int64_t pitch = shape.piece_bytes == 0 ? shape.message_bytes : shape.piece_bytes * units;
  return pitch > 0 && pitch % units == 0 && shape.message_bytes % pitch == 0;
}
// Whether tiles fill the message and no byte twice: pieces lie one behind the other along what has the shortest steps,
// these runs along what has the next, and so on.
inline bool fills_message(const Shape& shape) {
  const Tiles& tiles = shape.tiles;
  std::pair<int64_t, int64_t> steps[] = {{tiles.steps[0], shape.grid.x},
                                         {tiles.steps[1], shape.grid.y},
                                         {tiles.steps[2], shape.grid.z},
                                         {tiles.stride, tiles.count}};
  std::sort(std::begin(steps), std::end(steps));
  int64_t run = tiles.bytes;
  for (const auto& [step, count] : steps) {
    if (count == 1) continue;
    if (step != run) return false;
    run *= count;
  }
  return run == shape.message_bytes;
}

inline void close_fused(ncclComm_t comm);
// In place of a launch. One that is not like those that were traced runs at once.
inline void launch_fused(DeferredLaunch one, dim3 grid, dim3 block) {
  call_at_close(close_fused), call_for_waiting(launch_deferred);
  launch_deferred();
  bool known = one.shape.fits(grid, block);
  one.shape.grid = grid;
  if (!known || !has_shares(one.shape) || (one.shape.tiles.count != 0 && !fills_message(one.shape)))
    return one.launch(nullptr);
  deferred().one = std::move(one);
}
inline DeferredLaunch take_deferred() {
  DeferredLaunch one = std::move(deferred().one);
  deferred().one = {};
  return one;
}

inline void close_fused(ncclComm_t comm) {
  launch_deferred();
  auto& counters = deferred().counters;
  for (auto one = counters.begin(); one != counters.end();) {
    if (one->first.first == comm) cudaFree(one->second);
    one = one->first.first == comm ? counters.erase(one) : std::next(one);
  }
}

// Launches that share counters follow each other in their stream.
template <typename Counters>
Counters* counters_of(ncclComm_t comm, cudaStream_t stream) {
  void*& counters = deferred().counters[{comm, stream}];
  if (counters == nullptr && cudaMalloc(&counters, sizeof(Counters)) == cudaSuccess)
    cudaMemset(counters, 0, sizeof(Counters));
  return (Counters*)counters;
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
  fused.units = units_of(grid, dimension);
  fused.parts = parts;
  fused.parts_with_units = cut_fused(fused.units, parts, fused.cuts);
  fused.in_order = is_in_order(grid, dimension);
  return fused;
}

// Block `linear` of a grid whose units come one after the other, so that parts are done one after the other.
__device__ inline uint3 block_in_order(const FusedGrid& fused, dim3 grid, unsigned linear) {
  unsigned each = grid.x * grid.y * grid.z / fused.units, unit = linear / each, rest = linear % each;
  if (fused.dimension == 0) return {unit, rest % grid.y, rest / grid.y};
  if (fused.dimension == 1) return {rest % grid.x, unit, rest / grid.x};
  return {rest % grid.x, rest / grid.x, unit};
}

// The block to be.
__device__ inline uint3 block_in_turn(const FusedGrid& fused) {
  if (fused.in_order) return blockIdx;
  __shared__ uint3 block;
  if (thread_in_block() == 0)
    block = block_in_order(fused, gridDim, blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
  __syncthreads();
  return block;
}

__device__ inline int part_with(const FusedGrid& fused, const uint3& block) {
  unsigned unit = fused.dimension == 0 ? block.x : fused.dimension == 1 ? block.y : block.z;
  int part = 0;
  while (fused.cuts[part + 1] <= unit) part++;
  return part;
}

__device__ inline unsigned blocks_in(const FusedGrid& fused, int part) {
  return (fused.cuts[part + 1] - fused.cuts[part]) * (grid_blocks() / fused.units);
}

}  // namespace cuco::comm
