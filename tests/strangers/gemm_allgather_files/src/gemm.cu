#include "gemm.h"

static constexpr int BLOCK = 16;

__global__ void gemm_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int m, int n, int k) {
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][BLOCK];
  const int row = blockIdx.y * BLOCK + threadIdx.y;
  const int col = blockIdx.x * BLOCK + threadIdx.x;
  float acc = 0.0f;
  for (int t = 0; t < k; t += BLOCK) {
    As[threadIdx.y][threadIdx.x] = (row < m && t + threadIdx.x < k) ? A[(size_t)row * k + t + threadIdx.x] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = (t + threadIdx.y < k && col < n) ? B[(size_t)(t + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < BLOCK; i++) acc += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) C[(size_t)row * n + col] = acc;
}

void gemm(const float* A, const float* B, float* C, int m, int n, int k, cudaStream_t stream) {
  const dim3 threads(BLOCK, BLOCK);
  const dim3 grid((n + BLOCK - 1) / BLOCK, (m + BLOCK - 1) / BLOCK);
  gemm_kernel<<<grid, threads, 0, stream>>>(A, B, C, m, n, k);
}
