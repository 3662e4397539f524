// One rank reduces as float16, the others as bfloat16: the sizes agree, the numbers do not.
// ranks: 3
// expect-finding: collective_mismatch
// says: ncclBfloat16
#include <nccl.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

constexpr int kCount = 256;
constexpr uint16_t kHalfOne = 0x3c00;
constexpr uint16_t kHalfThree = 0x4200;

ncclDataType_t type_of_rank(int rank) { return rank == 0 ? ncclFloat16 : ncclBfloat16; }

std::atomic<int> wrong{0};

void reduce_on(int rank, int ranks, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  std::vector<uint16_t> host(kCount, kHalfOne);
  uint16_t* values;
  cudaMalloc(&values, kCount * sizeof(uint16_t));
  cudaMemcpy(values, host.data(), kCount * sizeof(uint16_t), cudaMemcpyHostToDevice);
  ncclAllReduce(values, values, kCount, type_of_rank(rank), ncclSum, comm, nullptr);  // FAULT
  cudaMemcpy(host.data(), values, kCount * sizeof(uint16_t), cudaMemcpyDeviceToHost);
  for (uint16_t value : host) wrong += value != kHalfThree;
  cudaFree(values);
  ncclCommDestroy(comm);
}

int main() {
  const int ranks = 3;
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++) threads.emplace_back(reduce_on, rank, ranks, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
