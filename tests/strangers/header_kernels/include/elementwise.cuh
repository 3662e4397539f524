#pragma once
#include <cuda_runtime.h>
#include <nccl.h>

namespace elementwise {

template <class T>
struct Square {
  __host__ __device__ T operator()(T v) const { return v * v; }
};

template <class T>
struct Clamp {
  T low, high;
  __host__ __device__ T operator()(T v) const { return v < low ? low : v > high ? high : v; }
};

template <class T>
struct Scale {
  T factor;
  __host__ __device__ T operator()(T v) const { return factor * v; }
};

template <int Threads>
unsigned grid_for(size_t count) {
  return static_cast<unsigned>((count + Threads - 1) / Threads);
}

template <int Threads, class T, class Op>
__global__ __launch_bounds__(Threads) void map(T* out, const T* in, size_t count, Op op) {
  const size_t i = size_t(blockIdx.x) * Threads + threadIdx.x;
  if (i < count) out[i] = op(in[i]);
}

template <class T>
constexpr ncclDataType_t nccl_type();
template <>
constexpr ncclDataType_t nccl_type<float>() {
  return ncclFloat;
}
template <>
constexpr ncclDataType_t nccl_type<double>() {
  return ncclDouble;
}

}  // namespace elementwise
