// The window is deregistered before its communicator and its memory are given back.
// ranks: 2
// expect: no findings
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCount = 512;

std::atomic<int> wrong{0};

void run_rank(int rank, int ranks, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  float* values;
  ncclMemAlloc(reinterpret_cast<void**>(&values), kCount * sizeof(float));
  ncclWindow_t window;
  const size_t bytes = kCount * sizeof(float);
  ncclCommWindowRegister(comm, values, bytes, &window, NCCL_WIN_COLL_SYMMETRIC);
  std::vector<float> host(kCount, 1.5f);
  cudaMemcpy(values, host.data(), bytes, cudaMemcpyHostToDevice);
  ncclAllReduce(values, values, kCount, ncclFloat, ncclSum, comm, nullptr);
  cudaMemcpy(host.data(), values, bytes, cudaMemcpyDeviceToHost);
  for (float value : host) wrong += value != 1.5f * ranks;
  ncclCommWindowDeregister(comm, window);
  ncclCommDestroy(comm);
  ncclMemFree(values);
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
