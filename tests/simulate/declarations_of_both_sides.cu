// Declarations that stand in namespaces and classes on one side of __CUDA_ARCH__ only, or on both sides in two versions.
// ranks: 1
// expect: ok
// expect: device 1 12 30 5 7, host 2 20 31 6 8
#include <cstdio>

#if __CUDA_ARCH__ >= 700
__device__ __forceinline__ int version() { return 1; }
template <typename T>
__host__ __device__ T scaled(T x) { return x * 3; }
#else
__device__ __forceinline__ int version() { return -1; }
template <typename T>
__host__ __device__ T scaled(T x) { return x * 5; }
#endif

namespace shapes {
#ifndef __CUDA_ARCH__
static int only_host() { return 2; }
#endif
namespace inner {
struct Counter {
  int value;
#ifdef __CUDA_ARCH__
  __device__ int side() const { return value; }
#else
  int host_side() const { return value + 1; }
  int side() const { return value + 1; }
#endif
};
}  // namespace inner
#ifdef __CUDA_ARCH__
__host__ __device__ inline int side() { return 5; }
#else
__host__ __device__ inline int side();
__host__ __device__ inline int side() { return 6; }
#endif
}  // namespace shapes

extern "C" {
#ifdef __CUDA_ARCH__
__device__ int c_side() { return 7; }
#else
int c_side() { return 8; }
#endif
}

__global__ void fill(int* out) {
  out[0] = version();
  out[1] = scaled(4);
  out[2] = shapes::inner::Counter{30}.side();
  out[3] = shapes::side();
  out[4] = c_side();
}

int main() {
  int *out, d[5];
  cudaMalloc(&out, sizeof d);
  fill<<<1, 1>>>(out);
  cudaMemcpy(d, out, sizeof d, cudaMemcpyDeviceToHost);
  cudaFree(out);
  shapes::inner::Counter counter{30};
  std::printf("device %d %d %d %d %d, host %d %d %d %d %d\n", d[0], d[1], d[2], d[3], d[4], shapes::only_host(),
              scaled(4), counter.side(), shapes::side(), c_side());
  return counter.side() != counter.host_side();
}
