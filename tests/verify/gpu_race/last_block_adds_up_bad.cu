// The last block to take a ticket reads the others' partial sums, which no fence has put before their tickets.
// ranks: 1
// expect-finding: gpu_race
#include <cstdio>
#include <vector>

constexpr int kBlocks = 8;
constexpr int kThreads = 64;

__device__ unsigned tickets;

__device__ int sum_of_block(const int* values) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, values[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  return sum;
}

__global__ void add_all(const int* values, int* partial, int* total) {
  int sum = sum_of_block(values);
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = sum;  // FAULT
  unsigned ticket = atomicAdd(&tickets, 1u);
  if (ticket != gridDim.x - 1) return;
  int all = 0;
  for (int block = 0; block < gridDim.x; block++) all += partial[block];  // FAULT
  *total = all;
}

int main() {
  const int count = kBlocks * kThreads;
  std::vector<int> host(count);
  int expected = 0, result = 0;
  for (int i = 0; i < count; i++) expected += host[i] = i % 13;
  int *values, *partial, *total;
  cudaMalloc(&values, count * sizeof(int));
  cudaMalloc(&partial, kBlocks * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(values, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(partial, 0, kBlocks * sizeof(int));
  add_all<<<kBlocks, kThreads>>>(values, partial, total);
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d of %d\n", result, expected);
  for (int* buffer : {values, partial, total}) cudaFree(buffer);
  return result != expected;
}
