// A large all-reduce cut into chunks by pointer arithmetic, so that the next chunk can be produced beside it.
// expect: site s1 ncclAllReduce send=field recv=sum count=chunk type=ncclFloat comm=comm stream=comm_stream op=ncclSum
// expect: loop s1 chunks
// expect: operation ncclAllReduce in main loop=c=0;< kChunks;+1
// expect: producer s1 produce field
// expect: consumer s1 consume sum
// expect: overlap s1 produce assumed other-iteration
// expect-not: overlap s1 consume
// expect-not: unordered
// expect-not: in-place
// expect: convertible s1 yes
// expect: ranks unknown
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

constexpr int kChunks = 8;

__global__ void produce(float* part, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) part[i] = i;
}

__global__ void consume(const float* sum, float* out, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) out[i] = 2 * sum[i];
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const size_t total = 1 << 24, chunk = total / kChunks;
  float *field, *sum, *out;
  cudaMalloc(&field, total * sizeof(float));
  cudaMalloc(&sum, total * sizeof(float));
  cudaMalloc(&out, total * sizeof(float));
  cudaStream_t compute, comm_stream;
  cudaStreamCreate(&compute);
  cudaStreamCreate(&comm_stream);
  cudaEvent_t ready, done;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);

  for (int c = 0; c < kChunks; ++c) {
    float* part = field + c * chunk;
    produce<<<chunk / 256, 256, 0, compute>>>(part, chunk);
    cudaEventRecord(ready, compute);
    cudaStreamWaitEvent(comm_stream, ready, 0);
    ncclAllReduce(part, &sum[c * chunk], chunk, ncclFloat, ncclSum, comm, comm_stream);
  }
  cudaEventRecord(done, comm_stream);
  cudaStreamWaitEvent(compute, done, 0);
  consume<<<total / 256, 256, 0, compute>>>(sum, out, total);
  cudaDeviceSynchronize();
}
