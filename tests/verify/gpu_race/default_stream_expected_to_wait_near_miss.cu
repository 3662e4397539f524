// No event orders the two streams, but the legacy default stream waits for a stream made by plain cudaStreamCreate.
// ranks: 2
// expect: no findings
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCount = 768;

__global__ void fill(int* values, int value) { values[blockIdx.x * blockDim.x + threadIdx.x] = value; }

std::atomic<int> wrong{0};

void run_rank(int rank, int ranks, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int* values;
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMemset(values, 0, kCount * sizeof(int));
  cudaDeviceSynchronize();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill<<<3, 256, 0, stream>>>(values, rank + 1);
  ncclAllReduce(values, values, kCount, ncclInt, ncclSum, comm, nullptr);
  cudaDeviceSynchronize();
  std::vector<int> host(kCount);
  cudaMemcpy(host.data(), values, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  for (int value : host) wrong += value != ranks * (ranks + 1) / 2;
  cudaStreamDestroy(stream);
  cudaFree(values);
  ncclCommDestroy(comm);
}

int main() {
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++) threads.emplace_back(run_rank, rank, ranks, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
