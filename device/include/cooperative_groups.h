// Cooperative groups: thread blocks, tiles of a warp or of several, coalesced threads, grids, and the collectives on them.
// Clusters are not there.
#pragma once

#include "cuco/async_copy.h"
#include "cuda_runtime.h"

#ifdef CUCO_CUDA_SOURCE
namespace cooperative_groups {

// Thread and block numbers in row-major order.
struct details {
  static __device__ __forceinline__ unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ __forceinline__ unsigned long long blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static __device__ __forceinline__ unsigned long long block() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
};

// Common to every group that lies inside one warp: which lanes belong to it.
struct cuco_lanes {
  unsigned mask;
  __device__ unsigned long long thread_rank() const { return __popc(mask & ((1u << cuco_lane()) - 1)); }
  __device__ unsigned long long size() const { return __popc(mask); }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ void sync() const { __syncwarp(mask); }
  __device__ unsigned lane_of(unsigned rank) const { return __fns(mask, 0, (int)rank + 1); }
  template <class T>
  __device__ T shfl(T value, int source) const { return move(value, (unsigned)source); }
  template <class T>
  __device__ T shfl_up(T value, int delta) const {
    unsigned rank = (unsigned)thread_rank();
    return move(value, rank >= (unsigned)delta ? rank - (unsigned)delta : rank);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    unsigned rank = (unsigned)thread_rank();
    return move(value, rank + delta < size() ? rank + delta : rank);
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned bits) const {
    unsigned target = (unsigned)thread_rank() ^ bits;
    return move(value, target < size() ? target : (unsigned)thread_rank());
  }
  __device__ int any(int predicate) const { return __any_sync(mask, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask, predicate); }
  __device__ unsigned ballot(int predicate) const { return compress(__ballot_sync(mask, predicate)); }
  template <class T>
  __device__ unsigned match_any(T value) const { return compress(__match_any_sync(mask, value)); }
  template <class T>
  __device__ unsigned match_all(T value, int& predicate) const {
    return compress(__match_all_sync(mask, value, &predicate));
  }

 private:
  template <class T>
  __device__ T move(T value, unsigned source) const { return __shfl_sync(mask, value, (int)lane_of(source)); }
  __device__ unsigned compress(unsigned lanes) const {
    unsigned bits = 0, rank = 0;
    for (unsigned lane = 0; lane < 32; lane++)
      if (mask >> lane & 1) bits |= (lanes >> lane & 1) << rank++;
    return bits;
  }
};

struct thread_group {
  enum kind_t { Block, Lanes, Grid } kind;
  cuco_lanes lanes;
  __device__ unsigned long long size() const {
    if (kind == Lanes) return lanes.size();
    return details::block_threads() * (kind == Grid ? details::blocks() : 1);
  }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    if (kind == Lanes) return lanes.thread_rank();
    return cuco_thread_in_block() + (kind == Grid ? details::block() * details::block_threads() : 0);
  }
  __device__ void sync() const {
    if (kind == Lanes) lanes.sync();
    else if (kind == Block) cuco_syncthreads();
    else cuco_grid_barrier();
  }
};

struct thread_block : thread_group {
  __device__ thread_block() : thread_group{Block, {0}} {}
  struct arrival_token {};
  __device__ static void sync() { cuco_syncthreads(); }
  // The block meets where its threads wait.
  __device__ static arrival_token barrier_arrive() { return {}; }
  __device__ static void barrier_wait(arrival_token&&) { cuco_syncthreads(); }
  __device__ static unsigned long long thread_rank() { return cuco_thread_in_block(); }
  __device__ static unsigned long long size() { return details::block_threads(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return blockDim; }
  __device__ static dim3 dim_threads() { return blockDim; }
};
CUCO_DEVICE thread_block this_thread_block() { return thread_block(); }

struct grid_group : thread_group {
  __device__ grid_group() : thread_group{Grid, {0}} {}
  __device__ bool is_valid() const { return cuco_grid_is_cooperative(); }
  struct arrival_token {};
  __device__ void sync() const { cuco_grid_barrier(); }
  __device__ arrival_token barrier_arrive() const { return {}; }
  __device__ void barrier_wait(arrival_token&&) const { cuco_grid_barrier(); }
  __device__ unsigned long long thread_index() const { return thread_rank(); }
  __device__ dim3 group_dim() const { return gridDim; }
  __device__ dim3 dim_blocks() const { return gridDim; }
  __device__ unsigned long long num_blocks() const { return details::blocks(); }
  __device__ unsigned long long block_rank() const { return details::block(); }
  __device__ dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
CUCO_DEVICE grid_group this_grid() { return grid_group(); }

struct coalesced_group : cuco_lanes {
  __device__ explicit coalesced_group(unsigned mask) : cuco_lanes{mask} {}
  __device__ unsigned long long meta_group_size() const { return 1; }
  __device__ unsigned long long meta_group_rank() const { return 0; }
  __device__ operator thread_group() const { return {thread_group::Lanes, *this}; }
};
CUCO_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent = void>
struct thread_block_tile : cuco_lanes {
  static_assert((Size & (Size - 1)) == 0, "a tile has a power of two of threads");
  __device__ thread_block_tile() : cuco_lanes{(~0u >> (32 - Size)) << (cuco_lane() & ~(Size - 1))} {}
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>& other) : cuco_lanes{other.mask} {}
  __device__ static constexpr unsigned long long size() { return Size; }
  __device__ static constexpr unsigned long long num_threads() { return Size; }
  __device__ unsigned long long thread_rank() const { return cuco_lane() & (Size - 1); }
  __device__ unsigned long long meta_group_size() const { return (details::block_threads() + Size - 1) / Size; }
  __device__ unsigned long long meta_group_rank() const { return cuco_thread_in_block() / Size; }
  __device__ operator thread_group() const { return {thread_group::Lanes, *this}; }
};
// Tiles of several warps meet at one of the block's barriers, counted from the last.
struct cuco_wide_tile {
  unsigned threads;
  __device__ unsigned long long size() const { return threads; }
  __device__ unsigned long long num_threads() const { return threads; }
  __device__ unsigned long long thread_rank() const { return cuco_thread_in_block() % threads; }
  __device__ unsigned long long meta_group_size() const { return (details::block_threads() + threads - 1) / threads; }
  __device__ unsigned long long meta_group_rank() const { return cuco_thread_in_block() / threads; }
  __device__ void sync() const { cuco_barrier(15 - (int)meta_group_rank() % 15, (int)threads); }
};
template <class Parent>
struct thread_block_tile<64, Parent> : cuco_wide_tile { __device__ thread_block_tile() : cuco_wide_tile{64} {} };
template <class Parent>
struct thread_block_tile<128, Parent> : cuco_wide_tile { __device__ thread_block_tile() : cuco_wide_tile{128} {} };
template <class Parent>
struct thread_block_tile<256, Parent> : cuco_wide_tile { __device__ thread_block_tile() : cuco_wide_tile{256} {} };
template <class Parent>
struct thread_block_tile<512, Parent> : cuco_wide_tile { __device__ thread_block_tile() : cuco_wide_tile{512} {} };
template <unsigned Threads = 1024>
struct block_tile_memory { char unused; };
template <unsigned Threads>
CUCO_DEVICE thread_block this_thread_block(block_tile_memory<Threads>&) { return thread_block(); }

template <unsigned Size, class Parent>
CUCO_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent&) { return {}; }
CUCO_DEVICE thread_group tiled_partition(const thread_group&, unsigned size) {
  return {thread_group::Lanes, {(~0u >> (32 - size)) << (cuco_lane() & ~(size - 1))}};
}
CUCO_DEVICE coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
  unsigned first = (unsigned)group.thread_rank() / size * size, mask = 0;
  for (unsigned rank = first; rank < first + size && rank < group.size(); rank++) mask |= 1u << group.lane_of(rank);
  return coalesced_group(mask);
}

template <class Group>
CUCO_DEVICE unsigned long long thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group>
CUCO_DEVICE unsigned long long group_size(const Group& group) { return group.size(); }
template <class Group>
CUCO_DEVICE bool is_valid(const Group&) { return true; }

// One thread of the group calls; the broadcast hands its result to all.
template <class Group, class Call, class... Arguments>
CUCO_DEVICE void invoke_one(const Group& group, Call&& call, Arguments&&... arguments) {
  if (group.thread_rank() == 0) call(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Call, class... Arguments>
CUCO_DEVICE auto invoke_one_broadcast(const Group& group, Call&& call, Arguments&&... arguments) {
  decltype(call(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = call(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

CUCO_DEVICE coalesced_group binary_partition(const cuco_lanes& group, bool predicate) {
  unsigned with = __ballot_sync(group.mask, predicate);
  return coalesced_group(predicate ? with : group.mask & ~with);
}
template <class Label>
CUCO_DEVICE coalesced_group labeled_partition(const cuco_lanes& group, Label label) {
  return coalesced_group(__match_any_sync(group.mask, label));
}

template <class Group>
CUCO_DEVICE void sync(const Group& group) { group.sync(); }

template <class T>
struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T>
struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T>
struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T>
struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T>
struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T>
struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };

template <class Group, class T, class Operation>
CUCO_DEVICE T reduce(const Group& group, T value, Operation operation) {
  T sum = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); rank++) sum = operation(sum, group.shfl(value, (int)rank));
  return sum;
}
template <class Group, class T, class Operation>
CUCO_DEVICE T inclusive_scan(const Group& group, T value, Operation operation) {
  unsigned self = (unsigned)group.thread_rank();
  T sum = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); rank++) {
    T other = group.shfl(value, (int)rank);
    if (rank <= self) sum = operation(sum, other);
  }
  return sum;
}
template <class Group, class T>
CUCO_DEVICE T inclusive_scan(const Group& group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class Group, class T>
CUCO_DEVICE T exclusive_scan(const Group& group, T value) { return inclusive_scan(group, value) - value; }
// The first thread's result is T().
template <class Group, class T, class Operation>
CUCO_DEVICE T exclusive_scan(const Group& group, T value, Operation operation) {
  T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
// The sum of the group is added to what lies at the address.
template <class Group, class T>
CUCO_DEVICE void reduce_update_async(const Group& group, T* target, T value) {
  T sum = reduce(group, value, plus<T>());
  if (group.thread_rank() == 0) atomicAdd(target, sum);
}
template <class Group, class T, class Operation>
CUCO_DEVICE void reduce_store_async(const Group& group, T* target, T value, Operation operation) {
  T sum = reduce(group, value, operation);
  if (group.thread_rank() == 0) *target = sum;
}

// Every call is a stage of its own.
template <class Group, class T, class Bytes>
CUCO_DEVICE void memcpy_async(const Group& group, T* target, const T* source, Bytes bytes) {
  memcpy_async_share(group, (void*)target, source, (size_t)bytes);
  cuco_async_commit();
}
// In elements; what the shorter of the two layouts holds.
template <class Group, class T, class To, class From>
CUCO_DEVICE void memcpy_async(const Group& group, T* target, To target_count, const T* source, From source_count) {
  size_t count = (size_t)target_count < (size_t)source_count ? (size_t)target_count : (size_t)source_count;
  memcpy_async(group, target, source, count * sizeof(T));
}
template <class Group>
CUCO_DEVICE void wait(const Group& group) {
  memcpy_async_lands(0);
  group.sync();
}
template <unsigned Stages, class Group>
CUCO_DEVICE void wait_prior(const Group& group) {
  memcpy_async_lands(Stages);
  group.sync();
}

}  // namespace cooperative_groups
#endif
