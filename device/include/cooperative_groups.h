// Cooperative groups: thread blocks, tiles of a warp, coalesced threads, grids, and the collectives on them.
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
  __device__ arrival_token barrier_arrive() const {
    cuco_barrier_arrive(0, 0);
    return {};
  }
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
  __device__ void sync() const { cuco_grid_barrier(); }
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
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "tiles beyond a warp are not supported");
  __device__ thread_block_tile() : cuco_lanes{(~0u >> (32 - Size)) << (cuco_lane() & ~(Size - 1))} {}
  __device__ static constexpr unsigned long long size() { return Size; }
  __device__ static constexpr unsigned long long num_threads() { return Size; }
  __device__ unsigned long long thread_rank() const { return cuco_lane() & (Size - 1); }
  __device__ unsigned long long meta_group_size() const { return (details::block_threads() + Size - 1) / Size; }
  __device__ unsigned long long meta_group_rank() const { return cuco_thread_in_block() / Size; }
  __device__ operator thread_group() const { return {thread_group::Lanes, *this}; }
};
template <unsigned Size, class Parent>
CUCO_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent&) { return {}; }
CUCO_DEVICE thread_group tiled_partition(const thread_group&, unsigned size) {
  return {thread_group::Lanes, {(~0u >> (32 - size)) << (cuco_lane() & ~(size - 1))}};
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
