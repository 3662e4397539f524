// Memory from ncclMemAlloc is freed by cudaFree, which does not know it.
// ranks: 2
// expect-finding: memory_access
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCount = 1024;

std::atomic<int> wrong{0};

void reduce_on(int rank, int ranks, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const size_t bytes = kCount * sizeof(float);
  float *symmetric, *result;
  ncclMemAlloc(reinterpret_cast<void**>(&symmetric), bytes);  // FAULT
  cudaMalloc(&result, bytes);
  ncclWindow_t window;
  ncclCommWindowRegister(comm, symmetric, bytes, &window, NCCL_WIN_COLL_SYMMETRIC);
  std::vector<float> host(kCount, rank + 0.25f);
  cudaMemcpy(symmetric, host.data(), bytes, cudaMemcpyHostToDevice);
  ncclAllReduce(symmetric, result, kCount, ncclFloat, ncclMax, comm, nullptr);
  cudaMemcpy(host.data(), result, bytes, cudaMemcpyDeviceToHost);
  for (float value : host) wrong += value != ranks - 0.75f;
  ncclCommWindowDeregister(comm, window);
  cudaFree(symmetric);  // FAULT
  cudaFree(result);
  ncclCommDestroy(comm);
}

int main() {
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++) threads.emplace_back(reduce_on, rank, ranks, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
