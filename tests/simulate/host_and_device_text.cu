// A function of both sides that is written differently for each, and code that only one side has.
// ranks: 1
// expect: ok
// expect: host sees 0, device sees 900, 0 wrong
#include <cstdio>

#ifndef __CUDA_ARCH__
static int only_on_host(int x) { return x + 100; }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ int only_on_device(int x) { return x + 200; }
#endif

struct Counter {
  int value;
  __host__ __device__ explicit Counter(int start) : value(start) {}
  __host__ __device__ int side() const {
#ifdef __CUDA_ARCH__
    return value + 1;
#else
    return value - 1;
#endif
  }
};

template <typename T>
__host__ __device__ T twice_on_device(T x) {
#if __CUDA_ARCH__
  return x * 2;
#else
  return x;
#endif
}

__host__ __device__ inline int architecture() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return 0;
#endif
}

__global__ void fill(int* out) {
  out[0] = architecture();
  out[1] = Counter(10).side();
  out[2] = twice_on_device(21);
#if __CUDA_ARCH__ >= 800
  out[3] = only_on_device(1);
#else
  out[3] = -1;
#endif
}

int main() {
#ifdef __CUDA_ARCH__
  std::printf("host code sees __CUDA_ARCH__\n");
  return 1;
#endif
  int *out, host[4];
  cudaMalloc(&out, sizeof host);
  fill<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  int wrong = (host[1] != 11) + (host[2] != 42) + (host[3] != 201) + (Counter(10).side() != 9) +
              (twice_on_device(21) != 21) + (only_on_host(1) != 101);
  std::printf("host sees %d, device sees %d, %d wrong\n", architecture(), host[0], wrong);
  return wrong;
}
