// A helper hides the launch; it is called twice with different buffers, and each call counts on its own.
// expect-count: 2 launch axpy
// expect: launch axpy grid=(n + 255) / 256 block=256 shared=0 stream=stream via run_axpy
// expect: producer s1 axpy momentum
// expect: consumer s1 axpy momentum
// expect: output weights
// expect-not: producer s1 axpy weights
// expect-not: producer s1 axpy x
// expect-not: y external
// expect: site s1 ncclAllReduce send=momentum recv=momentum count=n type=ncclFloat comm=comm stream=stream op=ncclSum in-place
// expect: paths s1 1
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void axpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

static void run_axpy(float a, const float* x, float* y, int n, cudaStream_t stream) {
  axpy<<<(n + 255) / 256, 256, 0, stream>>>(a, x, y, n);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  int n = 1 << 20;
  float *grad, *momentum, *weights, *host = new float[n];
  cudaMalloc(&grad, n * sizeof(float));
  cudaMalloc(&momentum, n * sizeof(float));
  cudaMalloc(&weights, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  run_axpy(0.9f, grad, momentum, n, stream);
  ncclAllReduce(momentum, momentum, n, ncclFloat, ncclSum, comm, stream);
  run_axpy(-1e-3f, momentum, weights, n, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, weights, n * sizeof(float), cudaMemcpyDeviceToHost);
  delete[] host;
}
