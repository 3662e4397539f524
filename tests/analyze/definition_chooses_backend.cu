// What -D chooses is what is analysed: with USE_REDUCE_SCATTER the all-reduce is not part of the program.
// define: USE_REDUCE_SCATTER=1
// expect: site s1 ncclReduceScatter send=grads recv=mine count=kShard type=ncclFloat comm=comm stream=stream op=ncclSum
// expect-not: ncclAllReduce
// expect: consumer s1 step mine
// expect-not: in-place
// expect-count: 1 site s
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

constexpr size_t kShard = 1 << 18;

__global__ void step(const float* grads, float* weights) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < kShard) weights[i] -= grads[i];
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, rank);
  float *grads, *mine, *weights;
  cudaMalloc(&grads, ranks * kShard * sizeof(float));
  cudaMalloc(&mine, kShard * sizeof(float));
  cudaMalloc(&weights, kShard * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
#if defined(USE_REDUCE_SCATTER) && USE_REDUCE_SCATTER
  ncclReduceScatter(grads, mine, kShard, ncclFloat, ncclSum, comm, stream);
  const float* reduced = mine;
#else
  ncclAllReduce(grads, grads, ranks * kShard, ncclFloat, ncclSum, comm, stream);
  const float* reduced = grads + rank * kShard;
#endif
  step<<<kShard / 256, 256, 0, stream>>>(reduced, weights);
  cudaStreamSynchronize(stream);
}
