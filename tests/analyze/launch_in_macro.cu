// A launch in a macro's body is followed; the collective beside it is fine.
// expect: launch scale grid=((n) + 255) / 256 block=256 shared=0 stream=stream
// expect-not: grid=LAUNCH(
// expect: producer s1 scale data
// expect: convertible s1 yes
// expect-count: 1 site s
// expect-not: ncclAllReduce comes from
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

#define LAUNCH(kernel, n, ...) kernel<<<((n) + 255) / 256, 256, 0, stream>>>(__VA_ARGS__, n)

__global__ void scale(float* data, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

__global__ void shift(float* data, float amount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += amount;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 4096;
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemsetAsync(data, 0, n * sizeof(float), stream);

  LAUNCH(scale, n, data, 0.5f);
  ncclAllReduce(data, data, n, ncclFloat, ncclSum, comm, stream);
  shift<<<n / 256, 256, 0, stream>>>(data, 1.0f, n);
  cudaStreamSynchronize(stream);
}
