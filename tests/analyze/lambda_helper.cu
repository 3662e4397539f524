// Lambdas that capture by reference and by value, one that takes another as a template argument.
// expect-count: 1 site s
// expect: paths s1 2
// expect: producer s1 encode left
// expect: producer s1 encode right
// expect: consumer s1 decode left
// expect: consumer s1 decode right
// expect-count: 2 launch encode
// expect-not: external
// expect-not: buffer data
// expect-count: 2 window
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void encode(float* data, int n) { data[blockIdx.x * blockDim.x + threadIdx.x] = n; }
__global__ void decode(const float* left, const float* right, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = left[i] - right[i];
}

template <typename Work>
void for_each_half(float* left, float* right, Work work) {
  work(left);
  work(right);
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float *left, *right, *out;
  cudaMalloc(&left, n * sizeof(float));
  cudaMalloc(&right, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  auto exchange = [comm, stream](float* data) { ncclAllReduce(data, data, n, ncclFloat, ncclSum, comm, stream); };
  for_each_half(left, right, [&](float* data) { encode<<<n / 256, 256, 0, stream>>>(data, n); });
  exchange(left);
  exchange(right);
  decode<<<n / 256, 256, 0, stream>>>(left, right, out, n);
  cudaStreamSynchronize(stream);
}
