// A checking macro that calls a lambda on the spot; and a checking function, which is no macro at all.
// expect: site s1 ncclAllGather send=keys recv=all_keys count=n type=ncclUint32 comm=comm stream=stream
// expect: site s2 ncclAllReduce send=checksum recv=checksum count=1 type=ncclUint64 comm=comm stream=stream op=ncclSum in-place
// expect: producer s1 hash keys
// expect: producer s2 digest checksum
// expect: consumer s1 digest all_keys
// expect: convertible s1 yes
// expect: convertible s2 yes
// expect-count: 2 site s
// expect-not: comes from the body of a macro
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#define NCCL_TRY(...)                                                        \
  [&] {                                                                      \
    ncclResult_t outcome = __VA_ARGS__;                                      \
    if (outcome != ncclSuccess) printf("%s\n", ncclGetErrorString(outcome)); \
    return outcome;                                                          \
  }()

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  printf("%s\n", cudaGetErrorString(error));
  abort();
}

__global__ void hash(unsigned* keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) keys[i] = i * 2654435761u;
}

__global__ void digest(const unsigned* keys, unsigned long long* checksum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(checksum, (unsigned long long)keys[i]);
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  NCCL_TRY(ncclCommInitRank(&comm, ranks, id, rank));
  const int n = 1 << 16;
  unsigned *keys, *all_keys;
  unsigned long long* checksum;
  check(cudaMalloc(&keys, n * sizeof(unsigned)));
  check(cudaMalloc(&all_keys, ranks * n * sizeof(unsigned)));
  check(cudaMalloc(&checksum, sizeof *checksum));
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  check(cudaMemsetAsync(checksum, 0, sizeof *checksum, stream));
  hash<<<n / 256, 256, 0, stream>>>(keys, n);
  NCCL_TRY(ncclAllGather(keys, all_keys, n, ncclUint32, comm, stream));
  digest<<<ranks * n / 256, 256, 0, stream>>>(all_keys, checksum, ranks * n);
  NCCL_TRY(ncclAllReduce(checksum, checksum, 1, ncclUint64, ncclSum, comm, stream));
  check(cudaStreamSynchronize(stream));
}
