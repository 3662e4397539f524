// Collectives that are not code: in comments, in strings, behind the preprocessor. One real call is left.
// expect-count: 1 site s
// expect: site s1 ncclAllReduce send=grad recv=sum count=n type=ncclFloat comm=comm stream=stream op=ncclSum
// expect-not: ncclReduceScatter
// expect-not: ncclBroadcast
// expect-not: ncclAllGather
// expect-not: ncclSend
// expect-not: kernel disabled
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>

#if 0
__global__ void disabled(float* x) { *x = 1; }
#endif

__global__ void backward(float* grad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grad[i] = 0.5f * i;  // ncclSend(grad, n, ncclFloat, 1, comm, stream) would not work here
}

int main() {
  ncclComm_t comm;
  int device = 0;
  ncclCommInitAll(&comm, 1, &device);
  const int n = 4096;
  float *grad, *sum;
  cudaMalloc(&grad, n * sizeof(float));
  cudaMalloc(&sum, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  backward<<<n / 256, 256, 0, stream>>>(grad, n);
  // ncclReduceScatter(grad, sum, n, ncclFloat, ncclSum, comm, stream);
  /* ncclBroadcast(grad, sum, n, ncclFloat, 0, comm, stream);
     backward<<<1, 1>>>(sum, n); */
  puts("ncclAllGather(grad, sum, n, ncclFloat, comm, stream);");
#if 0
  ncclAllGather(grad, sum, n, ncclFloat, comm, stream);
#endif
#ifdef NEVER_DEFINED_HERE
  ncclBroadcast(grad, sum, n, ncclFloat, 0, comm, stream);
#else
  ncclAllReduce(grad, sum, n, ncclFloat, ncclSum, comm, stream);
#endif
  cudaStreamSynchronize(stream);
  ncclCommDestroy(comm);
}
