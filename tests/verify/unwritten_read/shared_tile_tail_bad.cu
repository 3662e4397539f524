// The last block fills only part of its shared tile, but the tree adds all of it.
// ranks: 1
// expect-finding: unwritten_read
#include <cstdio>
#include <vector>

constexpr int kTile = 128;
constexpr int kCount = 1000;

__global__ void add_tiles(const int* values, int count, int* sums) {
  __shared__ int tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  if (i < count) tile[threadIdx.x] = values[i];
  __syncthreads();
  for (int half = kTile / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];  // FAULT
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tile[0];
}

int main() {
  const int blocks = (kCount + kTile - 1) / kTile;
  std::vector<int> values(kCount, 3), host_sums(blocks);
  int *device_values, *sums;
  cudaMalloc(&device_values, kCount * sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMemcpy(device_values, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  add_tiles<<<blocks, kTile>>>(device_values, kCount, sums);
  cudaMemcpy(host_sums.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int sum : host_sums) total += sum;
  std::printf("%d\n", total);
  cudaFree(sums);
  cudaFree(device_values);
  return total != 3 * kCount;
}
