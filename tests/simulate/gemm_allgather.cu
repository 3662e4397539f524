// Row-split matrix product in shared-memory tiles, gathered by the host.
// ranks: 4
// expect: ok
// expect: rank 0: 0 wrong
// expect: rank 3: 0 wrong
#include "support.h"

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int rows, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile + 1];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = row < rows ? a[row * n + t + threadIdx.x] : 0;
    tile_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows) c[row * n + column] = sum;
}

float element_a(int row, int column) { return static_cast<float>((row * 7 + column) % 13 - 6); }
float element_b(int row, int column) { return static_cast<float>((row * 5 + column) % 11 - 5); }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int n = 64, rows = n / ranks.count, first = ranks.rank * rows;
  std::vector<float> a(rows * n), b(n * n);
  for (int i = 0; i < rows * n; i++) a[i] = element_a(first + i / n, i % n);
  for (int i = 0; i < n * n; i++) b[i] = element_b(i / n, i % n);
  float *device_a, *device_b, *device_c;
  CHECK(cudaMalloc(&device_a, a.size() * sizeof(float)));
  CHECK(cudaMalloc(&device_b, b.size() * sizeof(float)));
  CHECK(cudaMalloc(&device_c, b.size() * sizeof(float)));
  upload(device_a, a);
  upload(device_b, b);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float* own = device_c + first * n;
  multiply<<<dim3(n / kTile, (rows + kTile - 1) / kTile), dim3(kTile, kTile), 0, stream>>>(device_a, device_b, own, rows, n);
  CHECK(ncclAllGather(own, device_c, rows * n, ncclFloat, ranks.comm, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::vector<float> c = download(device_c, n * n);
  long wrong = 0;
  for (int i = 0; i < n * n; i++) {
    float want = 0;
    for (int k = 0; k < n; k++) want += element_a(i / n, k) * element_b(k, i % n);
    wrong += c[i] != want;
  }
  CHECK(cudaFree(device_a));
  CHECK(cudaFree(device_b));
  CHECK(cudaFree(device_c));
  return ranks.verdict(wrong);
}
