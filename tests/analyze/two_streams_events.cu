// Compute on one stream, communication on another, joined by events in both directions: everything is ordered.
// expect: site s1 ncclAllReduce send=logits recv=logits count=count type=ncclFloat comm=comm stream=side op=ncclMax in-place
// expect: stream work non_blocking
// expect: stream side non_blocking
// expect: producer s1 project logits
// expect: consumer s1 softmax logits
// expect: overlap s1 prefetch
// expect-not: overlap s1 softmax
// expect-not: unordered
// expect-not: warning
// expect: operation cudaStreamWaitEvent in main
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void project(float* logits, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) logits[i] = i & 15;
}

__global__ void prefetch(const float* table, float* cached, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) cached[i] = table[i];
}

__global__ void softmax(float* logits, const float* cached, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) logits[i] = __expf(logits[i] - cached[i]);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int count = 1 << 16;
  float *logits, *table, *cached;
  cudaMalloc(&logits, count * sizeof(float));
  cudaMalloc(&table, count * sizeof(float));
  cudaMalloc(&cached, count * sizeof(float));
  cudaStream_t work, side;
  cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEvent_t projected, reduced;
  cudaEventCreateWithFlags(&projected, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming);

  project<<<count / 256, 256, 0, work>>>(logits, count);
  cudaEventRecord(projected, work);
  cudaStreamWaitEvent(side, projected, 0);
  ncclAllReduce(logits, logits, count, ncclFloat, ncclMax, comm, side);
  cudaEventRecord(reduced, side);
  prefetch<<<count / 256, 256, 0, work>>>(table, cached, count);
  cudaStreamWaitEvent(work, reduced, 0);
  softmax<<<count / 256, 256, 0, work>>>(logits, cached, count);
  cudaDeviceSynchronize();
}
