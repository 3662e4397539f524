// Near miss: the collective waits for its producer, but the kernel that reads its result does not wait for it.
// expect: producer s1 project logits
// expect: consumer s1 softmax logits unordered
// expect-not: producer s1 project logits unordered
// expect-warning: `softmax` reads `logits` written by `ncclAllReduce` at
// expect-warning: but nothing orders them: record an event on stream `side` after the one and make stream `work` wait for it
// expect-count: 1 site s
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void project(float* logits, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) logits[i] = i & 15;
}

__global__ void softmax(const float* logits, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = __expf(logits[i]);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int count = 1 << 16;
  float *logits, *out;
  cudaMalloc(&logits, count * sizeof(float));
  cudaMalloc(&out, count * sizeof(float));
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
  softmax<<<count / 256, 256, 0, work>>>(logits, out, count);
  cudaDeviceSynchronize();
}
