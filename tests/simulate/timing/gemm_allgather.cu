// Each rank computes a slice of rows with shared-memory tiles and gathers the product. Argument: the size.
#include "support.h"

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    left[threadIdx.y][threadIdx.x] = a[static_cast<size_t>(row) * n + tile + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[static_cast<size_t>(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[static_cast<size_t>(row) * n + column] = sum;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  size_t n = argc > 1 ? std::atoi(argv[1]) : 256, rows = n / ranks.count, slice = rows * n * sizeof(float);
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, slice));
  CHECK(cudaMalloc(&b, n * n * sizeof(float)));
  CHECK(cudaMalloc(&c, n * n * sizeof(float)));
  CHECK(cudaMemset(a, 0, slice));
  CHECK(cudaMemset(b, 0, n * n * sizeof(float)));
  multiply<<<dim3(n / kTile, rows / kTile), dim3(kTile, kTile)>>>(a, b, c + ranks.rank * rows * n, n);
  CHECK(ncclAllGather(c + ranks.rank * rows * n, c, rows * n, ncclFloat, ranks.comm, 0));
  CHECK(cudaDeviceSynchronize());
  for (float* memory : {a, b, c}) CHECK(cudaFree(memory));
  return ranks.verdict(0);
}
