// The ends of the chain have one neighbour each: the last rank only receives, the first only sends.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCount = 32;

__global__ void add_one(int* values) { values[threadIdx.x] += 1; }

std::atomic<int> wrong{0};

void pass_along(int rank, int ranks, int* values, ncclComm_t comm, cudaStream_t stream) {
  if (rank > 0) ncclRecv(values, kCount, ncclInt, rank - 1, comm, stream);
  add_one<<<1, kCount, 0, stream>>>(values);
  if (rank + 1 < ranks) ncclSend(values, kCount, ncclInt, rank + 1, comm, stream);
  cudaStreamSynchronize(stream);
}

void run_rank(int rank, int ranks, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* values;
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMemsetAsync(values, 0, kCount * sizeof(int), stream);
  pass_along(rank, ranks, values, comm, stream);
  std::vector<int> host(kCount);
  cudaMemcpy(host.data(), values, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  for (int value : host) wrong += value != rank + 1;
  cudaFree(values);
  cudaStreamDestroy(stream);
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
