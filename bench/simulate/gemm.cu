// kSize^3 matrix product: argument 0 is the plain kernel, 1 the one with shared-memory tiles.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef SIZE
#define SIZE 512
#endif
constexpr int kSize = SIZE, kTile = 16;

__global__ void naive(const float* a, const float* b, float* c) {
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < kSize; k++) sum += a[row * kSize + k] * b[k * kSize + column];
  c[row * kSize + column] = sum;
}

__global__ void tiled(const float* a, const float* b, float* c) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < kSize; tile += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * kSize + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * kSize + column];
    __syncthreads();
    for (int k = 0; k < kTile; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * kSize + column] = sum;
}

int main(int, char** argv) {
  std::vector<float> host(kSize * kSize);
  for (size_t i = 0; i < host.size(); i++) host[i] = static_cast<float>(i % 7);
  float *a, *b, *c;
  size_t bytes = host.size() * sizeof(float);
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice);
  dim3 grid(kSize / kTile, kSize / kTile), block(kTile, kTile);
  if (std::atoi(argv[1]) == 0)
    naive<<<grid, block>>>(a, b, c);
  else
    tiled<<<grid, block>>>(a, b, c);
  cudaMemcpy(host.data(), c, bytes, cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[kSize + 1]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
