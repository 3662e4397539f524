// Kernels that one term of the clock decides. Argument: which one.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kThreads = 256;

__global__ void read_with_stride(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];
}

__global__ void read_neighbours(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

__global__ void follow(const int* next, int* out, int steps) {
  int at = 0;
  for (int i = 0; i < steps; i++) at = next[at];
  *out = at;
}

__global__ void conflict(float* out) {
  __shared__ float tile[32 * 32];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 1024; k++) sum += tile[threadIdx.x % 32 * 32 + (k & 31)];
  out[threadIdx.x] = sum;
}

__global__ void no_conflict(float* out) {
  __shared__ float tile[32 * 32];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 1024; k++) sum += tile[(k & 31) * 32 + threadIdx.x % 32];
  out[threadIdx.x] = sum;
}

__global__ void multiply_add(float* out, int rounds) {
  float x = threadIdx.x, y = 1;
  for (int i = 0; i < rounds; i++) x = x * 0.5f + y, y = y * 0.25f + x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

__global__ void tensor(float* out, int rounds) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> a;
  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> b;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(a, __float2bfloat16(1.f));
  fill_fragment(b, __float2bfloat16(1.f));
  fill_fragment(sum, 0.f);
  for (int i = 0; i < rounds; i++) mma_sync(sum, a, b, sum);
  store_matrix_sync(out, sum, 16, mem_row_major);
}

__global__ void vote(unsigned* out, int rounds) {
  unsigned found = threadIdx.x;
  for (int i = 0; i < rounds; i++)
    found += __ballot_sync(~0u, found & 1) + __match_any_sync(~0u, found) + __reduce_max_sync(~0u, found);
  out[threadIdx.x] = found;
}

#ifdef WITH_GREEDY_KERNEL
__global__ void greedy(float* out) {
  __shared__ float tile[12000];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];
}
#endif

int main(int argc, char** argv) {
  const char* which = argv[1];
  auto is = [&](const char* name) { return std::strcmp(which, name) == 0; };
  int blocks = argc > 2 ? std::atoi(argv[2]) : 1024;
  size_t bytes = size_t{64} << 20;
  float *in, *out;
  cudaMalloc(&in, argc > 3 ? size_t(std::atoi(argv[3])) << 20 : bytes);
  cudaMalloc(&out, blocks * kThreads * sizeof(float));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  if (is("stride")) read_with_stride<<<blocks, kThreads, 0, first>>>(in, out, 8);
  if (is("neighbours")) read_neighbours<<<blocks, kThreads, 0, first>>>(in, out);
  if (is("follow")) {
    cudaMemset(in, 0, 64);
    cudaDeviceSynchronize();
    follow<<<1, 1, 0, first>>>(reinterpret_cast<int*>(in), reinterpret_cast<int*>(out), 1000);
  }
  if (is("conflict")) conflict<<<1, kThreads, 0, first>>>(out);
  if (is("no_conflict")) no_conflict<<<1, kThreads, 0, first>>>(out);
  if (is("arithmetic") || is("two_streams")) multiply_add<<<blocks, kThreads, 0, first>>>(out, 4096);
  if (is("two_streams")) multiply_add<<<blocks, kThreads, 0, second>>>(out, 4096);
  if (is("vote")) vote<<<1, kThreads, 0, first>>>(reinterpret_cast<unsigned*>(out), 100);
  if (is("tensor")) tensor<<<1, 32, 0, first>>>(out, 64);
#ifdef WITH_GREEDY_KERNEL
  if (is("greedy")) greedy<<<blocks, kThreads, 0, first>>>(out);
#endif
  cudaDeviceSynchronize();
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(in);
  cudaFree(out);
}
