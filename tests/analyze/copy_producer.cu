// Copies feed the collective and take its result: device to device, in two dimensions, direction left to the runtime.
// expect: copy cudaMemcpyAsync device_to_device bytes=n * sizeof(float)
// expect: copy cudaMemcpy device_to_host bytes=sizeof first
// expect: producer s1 cudaMemcpyAsync outgoing
// expect: producer s1 cudaMemcpy2DAsync outgoing
// expect: consumer s1 cudaMemcpy incoming
// expect-not: producer s1 compute
// expect: output incoming
// expect-not: window source
// expect-count: 2 window
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void compute(float* source, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) source[i] = i;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16, width = 64, height = 16, pitch = 256;
  float *source, *outgoing, *incoming, first;
  cudaMalloc(&source, 2 * n * sizeof(float));
  cudaMalloc(&outgoing, 2 * n * sizeof(float));
  cudaMalloc(&incoming, 2 * n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  compute<<<2 * n / 256, 256, 0, stream>>>(source, 2 * n);
  cudaMemcpyAsync(outgoing, source, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  cudaMemcpy2DAsync(outgoing + n, width, source + n, pitch, width, height, cudaMemcpyDeviceToDevice, stream);
  ncclAllReduce(outgoing, incoming, 2 * n, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&first, incoming, sizeof first, cudaMemcpyDefault);
}
