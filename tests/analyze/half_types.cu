// Half, bfloat16 and 8-bit float traffic; the NCCL type chosen by a trait of the element type.
// expect: site s1 ncclAllReduce send=halves recv=halves count=n type=ncclHalf comm=comm stream=stream op=ncclSum in-place
// expect: site s2 ncclAllReduce send=brains recv=brains count=n type=ncclBfloat16 comm=comm stream=stream op=ncclSum in-place
// expect: site s3 ncclAllGather send=tiny recv=all_tiny count=n type=ncclFloat8e4m3 comm=comm stream=stream
// expect: convertible s1 yes
// expect: convertible s2 yes
// expect: convertible s3 yes
// expect: buffer halves device bytes=131072 frees=0
// expect: buffer tiny device bytes=65536 frees=0
// expect: kernel narrow<__half> wide:read narrow:write
// expect: kernel narrow<__nv_bfloat16> wide:read narrow:write
// expect: producer s2 narrow<__nv_bfloat16> brains
// expect-not: producer s2 narrow<__half>
// expect-not: is not known
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

template <typename T>
struct NcclType;
template <>
struct NcclType<__half> {
  static constexpr ncclDataType_t value = ncclHalf;
};
template <>
struct NcclType<__nv_bfloat16> {
  static constexpr ncclDataType_t value = ncclBfloat16;
};

template <typename T>
__global__ void narrow(const float* wide, T* narrow, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) narrow[i] = T(wide[i]);
}

int main(int, char** argv) {
  int ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, atoi(argv[1]));
  constexpr int n = 1 << 16;
  float* wide;
  __half* halves;
  __nv_bfloat16* brains;
  __nv_fp8_e4m3 *tiny, *all_tiny;
  cudaMalloc(&wide, n * sizeof(float));
  cudaMalloc(&halves, n * sizeof(__half));
  cudaMalloc(&brains, n * sizeof(__nv_bfloat16));
  cudaMalloc(&tiny, n * sizeof(__nv_fp8_e4m3));
  cudaMalloc(&all_tiny, ranks * n * sizeof(__nv_fp8_e4m3));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  narrow<<<n / 256, 256, 0, stream>>>(wide, halves, n);
  narrow<<<n / 256, 256, 0, stream>>>(wide, brains, n);
  ncclAllReduce(halves, halves, n, NcclType<__half>::value, ncclSum, comm, stream);
  ncclAllReduce(brains, brains, n, NcclType<__nv_bfloat16>::value, ncclSum, comm, stream);
  ncclAllGather(tiny, all_tiny, n, ncclFloat8e4m3, comm, stream);
  cudaStreamSynchronize(stream);
}
