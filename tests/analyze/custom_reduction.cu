// A reduction made at run time: what it computes is not in the source, so the site stays with the host.
// expect: site s1 ncclAllReduce send=grad recv=grad count=n type=ncclFloat comm=comm stream=stream op=scaled_sum in-place
// expect: blocker s1 its reduction `scaled_sum` is not one of NCCL's own, and what it computes is known to NCCL alone
// expect: convertible s1 no
// expect: convertible s2 yes
// expect: window loss
// expect-not: window grad
// expect: producer s1 backward grad
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void backward(float* grad, float* loss, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grad[i] = i;
  if (i == 0) *loss = 1;
}

int main(int, char** argv) {
  int ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, atoi(argv[1]));
  const int n = 1 << 20;
  float *grad, *loss;
  cudaMalloc(&grad, n * sizeof(float));
  cudaMalloc(&loss, sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float weight = 1.0f / ranks;
  ncclRedOp_t scaled_sum;
  ncclRedOpCreatePreMulSum(&scaled_sum, &weight, ncclFloat, ncclScalarHostImmediate, comm);
  backward<<<n / 256, 256, 0, stream>>>(grad, loss, n);
  ncclAllReduce(grad, grad, n, ncclFloat, scaled_sum, comm, stream);
  ncclAllReduce(loss, loss, 1, ncclFloat, ncclAvg, comm, stream);
  cudaStreamSynchronize(stream);
  ncclRedOpDestroy(scaled_sum, comm);
}
