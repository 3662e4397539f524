// Launch configurations as nvcc takes them: braces for the shapes, also empty ones, in macros and in templates.
// ranks: 1
// expect: ok
// expect: 24 6 1 64 48 1'000, 0 wrong
#include <cstdio>

__global__ void count(int* out) { atomicAdd(out, 1); }

template <int X, int Y>
__global__ void count_of(int* out) { atomicAdd(out, X * Y == (int)(blockDim.x * blockDim.y)); }

#define LAUNCH(kernel, ...) kernel<<<{2, 2}, {4, 4, 1}, 0, stream>>>(__VA_ARGS__)

template <int X, int Y>
void launch_of(int* out, dim3 grid, cudaStream_t stream) {
  count_of<X, Y><<<grid, {X, Y, 1}, 0, stream>>>(out);
}

static int shifted(int x) { return x<<3; }

int main() {
  int *out, host[5];
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0, sizeof host);
  cudaDeviceSynchronize();
  unsigned x = 2, y = 3;
  count<<<dim3{1, 2}, {x * 2, y, 1}, 0, stream>>>(out);
  count<<<{1}, { x, y }>>>(out + 1);
  count<<<{}, {}, {}, stream>>>(out + 2);
  LAUNCH(count, out + 3);
  launch_of<8, 2>(out + 4, {1, 3, 1}, stream);
  cudaDeviceSynchronize();
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  cudaStreamDestroy(stream);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int wrong = 1'000 - 1000 + (properties.warpSize != warpSize) + (shifted(1) != 8);
  std::printf("%d %d %d %d %d 1'000, %d wrong\n", host[0], host[1], host[2], host[3], host[4], wrong);
  return wrong;
}
