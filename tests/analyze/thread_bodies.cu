// One function starts the threads of all ranks, each time with another body.
// expect: ranks threads
// expect: site s1 ncclAllReduce send=sums recv=sums count=kCount type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: operation ncclAllReduce in reduce
// expect: site s2 ncclAllGather send=part recv=all count=kCount type=ncclFloat comm=comm stream=stream
// expect: operation ncclAllGather in gather
// expect-count: 2 site s
#include <cuda_runtime.h>
#include <nccl.h>
#include <pthread.h>

constexpr int kRanks = 2, kCount = 64;
ncclUniqueId id;
int ranks[kRanks] = {0, 1};

static void* reduce(void* argument) {
  int rank = *static_cast<int*>(argument);
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, kRanks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* sums;
  cudaMalloc(&sums, kCount * sizeof(float));
  ncclAllReduce(sums, sums, kCount, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  return nullptr;
}

static void* gather(void* argument) {
  int rank = *static_cast<int*>(argument);
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, kRanks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *part, *all;
  cudaMalloc(&part, kCount * sizeof(float));
  cudaMalloc(&all, kRanks * kCount * sizeof(float));
  ncclAllGather(part, all, kCount, ncclFloat, comm, stream);
  cudaStreamSynchronize(stream);
  return nullptr;
}

static void run_all(void* (*body)(void*)) {
  pthread_t threads[kRanks];
  ncclGetUniqueId(&id);
  for (int i = 0; i < kRanks; ++i) pthread_create(&threads[i], nullptr, body, &ranks[i]);
  for (int i = 0; i < kRanks; ++i) pthread_join(threads[i], nullptr);
}

int main() {
  run_all(reduce);
  run_all(gather);
}
