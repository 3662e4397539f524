// The last five steps run inside one warp and are separated by __syncwarp alone, which is enough there.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kBlock = 256;

__global__ void sum_block(const int* values, int* sums) {
  __shared__ int tile[kBlock];
  int t = threadIdx.x;
  tile[t] = values[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int half = kBlock / 2; half >= 32; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t >= 32) return;
  for (int half = 16; half > 0; half /= 2) {
    int other = tile[t + half];
    __syncwarp();
    tile[t] += other;
    __syncwarp();
  }
  if (t == 0) sums[blockIdx.x] = tile[0];
}

int main() {
  const int blocks = 4;
  std::vector<int> values(blocks * kBlock), host_sums(blocks);
  for (int i = 0; i < blocks * kBlock; i++) values[i] = i % 11;
  int *device_values, *sums;
  cudaMalloc(&device_values, values.size() * sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMemcpy(device_values, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  sum_block<<<blocks, kBlock>>>(device_values, sums);
  cudaMemcpy(host_sums.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  int difference = 0;
  for (int value : values) difference += value;
  for (int sum : host_sums) difference -= sum;
  std::printf("off by %d\n", difference);
  cudaFree(sums);
  cudaFree(device_values);
  return difference != 0;
}
