// Checking macros as GNU statement expressions, nested, one of them with a value that is used.
// expect: site s1 ncclBroadcast send=params recv=params count=n type=ncclBfloat16 comm=comm stream=stream peer=0 in-place
// expect: convertible s1 yes
// expect: consumer s1 forward params
// expect: producer s1 cudaMemcpyAsync params
// expect: copy cudaMemcpyAsync host_to_device bytes=n * sizeof(__nv_bfloat16)
// expect-count: 1 site s
// expect-not: comes from the body of a macro
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#define CHECKED(call, good)                                    \
  ({                                                           \
    auto status_ = (call);                                     \
    if (status_ != good) {                                     \
      fprintf(stderr, "%s failed: %d\n", #call, (int)status_); \
      exit(1);                                                 \
    }                                                          \
    status_;                                                   \
  })
#define CUDA_OK(call) CHECKED(call, cudaSuccess)
#define NCCL_OK(call) CHECKED(call, ncclSuccess)

__global__ void forward(const __nv_bfloat16* params, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __bfloat162float(params[i]);
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  NCCL_OK(ncclCommInitRank(&comm, ranks, id, rank));
  const int n = 1 << 20;
  __nv_bfloat16* params;
  float* out;
  CUDA_OK(cudaMalloc(&params, n * sizeof(__nv_bfloat16)));
  CUDA_OK(cudaMalloc(&out, n * sizeof(float)));
  std::vector<__nv_bfloat16> loaded(n);
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaMemcpyAsync(params, loaded.data(), n * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice, stream));
  if (NCCL_OK(ncclBroadcast(params, params, n, ncclBfloat16, 0, comm, stream)) == ncclSuccess)
    forward<<<n / 256, 256, 0, stream>>>(params, out, n);
  CUDA_OK(cudaStreamSynchronize(stream));
}
