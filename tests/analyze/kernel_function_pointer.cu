// The kernel is chosen by a pointer: a plain one that is known, and a table indexed by the loop.
// expect: launch relu grid=n / 256 block=256 shared=0 stream=stream
// expect: producer s1 relu data
// expect: consumer s1 square data
// expect: kernel relu data:read_write
// expect-count: 1 site s
// expect-not: launch identity
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

using Activation = void (*)(float* data, int n);

__global__ void relu(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = fmaxf(data[i], 0);
}

__global__ void square(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}

__global__ void identity(float*, int) {}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  Activation table[] = {relu, square};
  Activation first = table[0];
  first<<<n / 256, 256, 0, stream>>>(data, n);
  ncclAllReduce(data, data, n, ncclFloat, ncclSum, comm, stream);
  Activation second = &square;
  second<<<n / 256, 256, 0, stream>>>(data, n);
  cudaStreamSynchronize(stream);
}
