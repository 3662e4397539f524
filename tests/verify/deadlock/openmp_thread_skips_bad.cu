// A thread of an OpenMP region takes the part of another path and makes no all-reduce; the others wait for it at the barrier.
// ranks: 3
// expect-finding: deadlock
// says: ncclAllReduce
#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr int kElements = 300;

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  int wrong = 0;
#pragma omp parallel num_threads(count) reduction(+ : wrong)
  {
    int rank = omp_get_thread_num();
    CHECK(cudaSetDevice(rank));
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, count, id, rank));
    std::vector<int> host(kElements, rank + 1);
    int* data = nullptr;
    CHECK(cudaMalloc(&data, kElements * sizeof(int)));
    CHECK(cudaMemcpy(data, host.data(), kElements * sizeof(int), cudaMemcpyHostToDevice));
    if (rank != 1) {
      CHECK(ncclAllReduce(data, data, kElements, ncclInt, ncclSum, comm, nullptr));  // FAULT
      CHECK(cudaStreamSynchronize(nullptr));
    }
#pragma omp barrier  // FAULT
    CHECK(cudaMemcpy(host.data(), data, kElements * sizeof(int), cudaMemcpyDeviceToHost));
    for (int value : host) wrong += value != count * (count + 1) / 2 ? 1 : 0;
    CHECK(cudaFree(data));
    CHECK(ncclCommDestroy(comm));
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
