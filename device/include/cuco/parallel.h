// How algorithms of Thrust and CUB run on a device: as kernels of the program, so that what they touch is checked and
// functions they are given run as device code. Element by element where elements do not depend on each other; else in
// order by one thread, whose time is that of so many bytes at the bandwidth of the whole device.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cuco/attributes.h"
#include "cuco/hooks.h"
#include "cuda_runtime.h"

namespace cuco_parallel {

#ifdef CUCO_CUDA_SOURCE
constexpr unsigned kThreads = 256;
constexpr size_t kBlocksMax = 1 << 16;

template <class Body>
__global__ void each_element(size_t count, Body body) {
  size_t all = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += all) body(i);
}
template <class Body>
__device__ __attribute__((noinline)) void cuco_uncounted_run(Body& body) {
  body();
}
template <class Body>
__global__ void in_order(uint64_t bytes, uint64_t operations, Body body) {
  cuco_uncounted_run(body);
  cuco_costs[3] += bytes;
  cuco_costs[0] += operations;
}

template <class Body>
cudaError_t for_each_index(cudaStream_t stream, size_t count, Body body) {
  if (count == 0) return cudaSuccess;
  size_t blocks = (count + kThreads - 1) / kThreads;
  each_element<Body><<<(unsigned)(blocks < kBlocksMax ? blocks : kBlocksMax), kThreads, 0, stream>>>(count, body);
  return cudaPeekAtLastError();
}

// `bytes` and `operations` are those of the whole algorithm; the one thread is charged a multiprocessor's share.
template <class Body>
cudaError_t run_in_order(cudaStream_t stream, size_t bytes, size_t operations, Body body) {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  in_order<Body><<<1, 1, 0, stream>>>(bytes / (size_t)multiprocessors, operations / (size_t)multiprocessors, body);
  return cudaPeekAtLastError();
}
#else
template <class Body>
cudaError_t for_each_index(cudaStream_t, size_t, Body) {
  static_assert(sizeof(Body) == 0, "algorithms on device memory need a .cu file");
  return cudaSuccess;
}
template <class Body>
cudaError_t run_in_order(cudaStream_t, size_t, size_t, Body) {
  static_assert(sizeof(Body) == 0, "algorithms on device memory need a .cu file");
  return cudaSuccess;
}
#endif

inline size_t log2_of(size_t count) {
  size_t bits = 0;
  while (count > 1) count >>= 1, bits++;
  return bits;
}

// Sorts `order`, which names elements by their index, so that `less(first, second)` never holds backwards; equal ones
// keep their order. `spare` has as much room. Returns which of the two holds the result.
template <class Index, class Less>
__host__ __device__ Index* sort_indices(Index* order, Index* spare, size_t count, Less less) {
  constexpr size_t kRun = 16;
  for (size_t begin = 0; begin < count; begin += kRun) {
    size_t end = begin + kRun < count ? begin + kRun : count;
    for (size_t i = begin + 1; i < end; i++) {
      Index moved = order[i];
      size_t at = i;
      for (; at > begin && less(moved, order[at - 1]); at--) order[at] = order[at - 1];
      order[at] = moved;
    }
  }
  for (size_t width = kRun; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      size_t middle = begin + width < count ? begin + width : count;
      size_t end = begin + 2 * width < count ? begin + 2 * width : count;
      size_t a = begin, b = middle;
      for (size_t i = begin; i < end; i++)
        spare[i] = a < middle && (b >= end || !less(order[b], order[a])) ? order[a++] : order[b++];
    }
    Index* other = order;
    order = spare, spare = other;
  }
  return order;
}

}  // namespace cuco_parallel
