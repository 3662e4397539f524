// One ncclAllReduce in the source, reached on two ways: one site with two paths, each with its own buffer.
// expect-count: 1 site s
// expect: paths s1 2
// expect: producer s1 grad_bias bias
// expect: producer s1 grad_weight weight
// expect: consumer s1 apply weight
// expect: consumer s1 apply bias
// expect: window weight
// expect: window bias
// expect-not: window step
// expect: operation ncclAllReduce in sum_over_ranks
// expect-count: 2 operation ncclAllReduce in sum_over_ranks
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void grad_weight(float* weight, int n) { weight[blockIdx.x * blockDim.x + threadIdx.x] = n; }
__global__ void grad_bias(float* bias) { bias[threadIdx.x] = 1; }
__global__ void apply(const float* weight, const float* bias, float* step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) step[i] = weight[i] + bias[i % blockDim.x];
}

void sum_over_ranks(float* data, size_t count, ncclComm_t comm, cudaStream_t stream) {
  ncclResult_t result = ncclAllReduce(data, data, count, ncclFloat, ncclSum, comm, stream);
  if (result != ncclSuccess) {
    fprintf(stderr, "%s\n", ncclGetErrorString(result));
    exit(1);
  }
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 256 * 1024;
  float *weight, *bias, *step;
  cudaMalloc(&weight, n * sizeof(float));
  cudaMalloc(&bias, 256 * sizeof(float));
  cudaMalloc(&step, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  grad_weight<<<1024, 256, 0, stream>>>(weight, n);
  sum_over_ranks(weight, n, comm, stream);
  grad_bias<<<1, 256, 0, stream>>>(bias);
  sum_over_ranks(bias, 256, comm, stream);
  apply<<<1024, 256, 0, stream>>>(weight, bias, step, n);
  cudaStreamSynchronize(stream);
}
