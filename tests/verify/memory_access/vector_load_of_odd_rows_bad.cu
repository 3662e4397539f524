// Rows of 50 floats start at multiples of 200 bytes, so every other row is not aligned for float4.
// ranks: 1
// expect-finding: memory_access
#include <cstdio>
#include <vector>

constexpr int kRows = 6;
constexpr int kColumns = 48;
constexpr int kStride = 50;

template <int Stride>
__global__ void sum_rows(const float* matrix, float* sums) {
  int row = threadIdx.x;
  auto* vectors = reinterpret_cast<const float4*>(matrix + row * Stride);
  float sum = 0;
  for (int i = 0; i < kColumns / 4; i++) {
    float4 v = vectors[i];  // FAULT
    sum += v.x + v.y + v.z + v.w;
  }
  sums[row] = sum;
}

int main() {
  std::vector<float> host(kRows * kStride), got(kRows);
  for (int i = 0; i < kRows * kStride; i++) host[i] = static_cast<float>(i / kStride + 1);
  float *matrix, *sums;
  cudaMalloc(&matrix, host.size() * sizeof(float));
  cudaMalloc(&sums, kRows * sizeof(float));
  cudaMemcpy(matrix, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  sum_rows<kStride><<<1, kRows>>>(matrix, sums);
  cudaMemcpy(got.data(), sums, kRows * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int row = 0; row < kRows; row++) wrong += got[row] != (row + 1.0f) * kColumns;
  std::printf("%d wrong\n", wrong);
  cudaFree(sums);
  cudaFree(matrix);
  return wrong != 0;
}
