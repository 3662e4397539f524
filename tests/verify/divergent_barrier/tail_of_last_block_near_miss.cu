// The bounds check guards the memory accesses only; threads beyond the end leave after the last barrier.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kThreads = 64;
constexpr int kCount = 300;
constexpr int kBlocks = (kCount + kThreads - 1) / kThreads;

// Differences of neighbours, and how many of them rise in each block.
__global__ void differences(const int* values, int* out, int* rising) {
  __shared__ int tile[kThreads];
  __shared__ int rises;
  int i = blockIdx.x * kThreads + threadIdx.x;
  int difference = 0;
  if (threadIdx.x == 0) rises = 0;
  if (i < kCount) {
    tile[threadIdx.x] = values[i];
  }
  __syncthreads();
  if (i < kCount) {
    difference = threadIdx.x > 0 ? tile[threadIdx.x] - tile[threadIdx.x - 1] : 0;
    if (difference > 0) atomicAdd(&rises, 1);
  }
  __syncthreads();
  if (i >= kCount) return;
  out[i] = difference;
  if (threadIdx.x == 0) rising[blockIdx.x] = rises;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int *values, *out, *rising;
  CHECK(cudaMalloc(&values, kCount * sizeof(int)));
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  CHECK(cudaMalloc(&rising, kBlocks * sizeof(int)));
  std::vector<int> host(kCount);
  for (int i = 0; i < kCount; i++) host[i] = i * (ranks.rank + 1);
  upload(values, host);
  differences<<<kBlocks, kThreads>>>(values, out, rising);
  CHECK(ncclAllReduce(rising, rising, kBlocks, ncclInt, ncclSum, ranks.comm, nullptr));
  std::vector<int> got = download(out, kCount), rises = download(rising, kBlocks);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != (i % kThreads == 0 ? 0 : ranks.rank + 1);
  for (int block = 0; block < kBlocks; block++) {
    int size = block + 1 < kBlocks ? kThreads : kCount - block * kThreads;
    wrong += rises[block] != ranks.count * (size - 1);
  }
  CHECK(cudaFree(rising));
  CHECK(cudaFree(out));
  CHECK(cudaFree(values));
  return ranks.verdict(wrong);
}
