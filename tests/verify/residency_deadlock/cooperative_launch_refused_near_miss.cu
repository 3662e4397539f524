// A cooperative launch is refused as too large; the program halves the grid until it is accepted.
// ranks: 2
// expect: no findings
#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kBlocks = 288;
constexpr int kThreads = 32;
constexpr int kSharedBytes = 120 * 1024;  // One block an SM.

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void rotate(const int* in, int* between, int* out, unsigned* arrived) {
  extern __shared__ int staging[];
  for (int i = blockIdx.x; i < kBlocks; i += gridDim.x) {
    staging[threadIdx.x] = in[i * kThreads + threadIdx.x];
    between[i * kThreads + threadIdx.x] = staging[threadIdx.x] + 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    Word(*arrived).fetch_add(1, cuda::memory_order_acq_rel);
    while (Word(*arrived).load(cuda::memory_order_acquire) < gridDim.x) __nanosleep(100);
  }
  __syncthreads();
  for (int i = blockIdx.x; i < kBlocks; i += gridDim.x)
    out[i * kThreads + threadIdx.x] = between[(i + 1) % kBlocks * kThreads + threadIdx.x];
}

void launch(const int* in, int* between, int* out, unsigned* arrived) {
  void* arguments[] = {&in, &between, &out, &arrived};
  int blocks = kBlocks;
  cudaError_t result =
      cudaLaunchCooperativeKernel(rotate, dim3(blocks), dim3(kThreads), arguments, kSharedBytes, nullptr);
  while (result == cudaErrorCooperativeLaunchTooLarge && blocks > 1) {
    cudaGetLastError();
    blocks /= 2;
    result = cudaLaunchCooperativeKernel(rotate, dim3(blocks), dim3(kThreads), arguments, kSharedBytes, nullptr);
  }
  CHECK(result);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t count = kBlocks * kThreads;
  CHECK(cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  int *in, *between, *out;
  unsigned* arrived;
  CHECK(cudaMalloc(&in, count * sizeof(int)));
  CHECK(cudaMalloc(&between, count * sizeof(int)));
  CHECK(cudaMalloc(&out, count * sizeof(int)));
  CHECK(cudaMalloc(&arrived, sizeof(unsigned)));
  CHECK(cudaMemset(arrived, 0, sizeof(unsigned)));
  std::vector<int> values(count);
  for (size_t i = 0; i < count; i++) values[i] = static_cast<int>(i) + ranks.rank;
  upload(in, values);
  launch(in, between, out, arrived);
  std::vector<int> got = download(out, count);
  long wrong = 0;
  for (size_t i = 0; i < count; i++) wrong += got[i] != values[(i + kThreads) % count] + 1;
  CHECK(cudaFree(arrived));
  CHECK(cudaFree(out));
  CHECK(cudaFree(between));
  CHECK(cudaFree(in));
  return ranks.verdict(wrong);
}
