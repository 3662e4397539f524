// Epochs around micro-batches around chunks: the innermost loop decides what a site's loop is for.
// expect: site s1 ncclAllReduce send=grads recv=grads count=kChunk type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: loop s1 chunks
// expect: loop s2 iterations
// expect: operation ncclAllReduce in main loop=begin=0;< kCount;+kChunk
// expect: operation ncclBroadcast in main loop=epoch=0;< epochs;+1
// expect: operation accumulate in main loop=micro=kMicro - 1;>= 0;-1
// expect: producer s1 accumulate grads
// expect: consumer s1 apply grads
// expect: producer s2 apply weights
// expect: consumer s2 accumulate weights carried
// expect-not: overlap s2 apply
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

constexpr int kCount = 1 << 20, kChunk = 1 << 18, kMicro = 4;

__global__ void accumulate(const float* weights, float* grads, int micro) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  grads[i] += weights[i] * micro;
}

__global__ void apply(float* weights, float* grads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  weights[i] -= 1e-3f * grads[i];
  grads[i] = 0;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  int epochs = atoi(argv[3]);
  float *weights, *grads;
  cudaMalloc(&weights, kCount * sizeof(float));
  cudaMalloc(&grads, kCount * sizeof(float));
  cudaMemset(grads, 0, kCount * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int micro = kMicro - 1; micro >= 0; --micro)
      accumulate<<<kCount / 256, 256, 0, stream>>>(weights, grads, micro);
    for (int begin = 0; begin < kCount; begin += kChunk)
      ncclAllReduce(grads + begin, grads + begin, kChunk, ncclFloat, ncclSum, comm, stream);
    apply<<<kCount / 256, 256, 0, stream>>>(weights, grads);
    ncclBroadcast(weights, weights, kCount, ncclFloat, 0, comm, stream);
  }
  cudaStreamSynchronize(stream);
}
