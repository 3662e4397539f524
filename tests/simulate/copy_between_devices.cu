// cudaMemcpyPeer waits for the work of both devices and goes before what they do next, whichever device is current.
// ranks: 2
// expect: ok
// expect: 0 wrong
#include <cstdio>
#include <vector>

constexpr int kCount = 4096;

__global__ void fill(float* data, float first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = first + i;
}
__global__ void twice(const float* data, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * data[i];
}

int main() {
  float *source, *target, *out;
  cudaSetDevice(1);
  cudaMalloc(&source, kCount * sizeof(float));
  fill<<<kCount / 256, 256>>>(source, 5);
  cudaSetDevice(0);
  cudaMalloc(&target, kCount * sizeof(float));
  cudaMalloc(&out, kCount * sizeof(float));
  cudaMemcpyPeer(target, 0, source, 1, kCount * sizeof(float));
  twice<<<kCount / 256, 256>>>(target, out);
  cudaSetDevice(1);
  fill<<<kCount / 256, 256>>>(source, -1000);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  std::vector<float> host(kCount);
  cudaMemcpy(host.data(), out, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = cudaMemcpyPeer(target, 7, source, 1, 4) != cudaErrorInvalidDevice;
  for (int i = 0; i < kCount; i++) wrong += host[i] != 2 * (5 + i);
  cudaFree(target);
  cudaFree(out);
  cudaFree(source);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
