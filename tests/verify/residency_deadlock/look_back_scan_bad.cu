// Block i waits for the sum of block i - 1, but nothing says that lower block numbers start first.
// ranks: 1
// expect-finding: residency_deadlock
#include <cstdio>
#include <cuda/atomic>
#include <vector>

constexpr int kBlocks = 400;
constexpr int kThreads = 64;
constexpr int kCount = kBlocks * kThreads;
constexpr int kSharedBytes = 120 * 1024;  // One block an SM.

// Zero means "not there yet": sums are stored plus one.
using Sum = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ unsigned next_tile(unsigned* tickets) {
  return blockIdx.x;  // FAULT
}

__device__ unsigned sum_before(unsigned tile, unsigned* sums) {
  if (tile == 0) return 0;
  unsigned seen = 0;
  while (seen == 0) seen = Sum(sums[tile - 1]).load(cuda::memory_order_acquire);  // FAULT
  return seen - 1;
}

template <typename T>
__global__ void inclusive_scan(const T* in, T* out, unsigned* sums, unsigned* tickets) {
  extern __shared__ unsigned values[];
  __shared__ unsigned before;
  unsigned tile = next_tile(tickets);
  unsigned at = tile * kThreads + threadIdx.x;
  values[threadIdx.x] = in[at];
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned total = 0;
    for (int i = 0; i < kThreads; i++) total = values[i] += total;
    before = sum_before(tile, sums);  // FAULT
    Sum(sums[tile]).store(before + total + 1, cuda::memory_order_release);
  }
  __syncthreads();
  out[at] = static_cast<T>(before + values[threadIdx.x]);
}

int main() {
  unsigned *in, *out, *sums;  // sums has one more word, for the tickets.
  cudaMalloc(&in, kCount * sizeof(unsigned));
  cudaMalloc(&out, kCount * sizeof(unsigned));
  cudaMalloc(&sums, (kBlocks + 1) * sizeof(unsigned));
  cudaMemset(sums, 0, (kBlocks + 1) * sizeof(unsigned));
  std::vector<unsigned> values(kCount);
  for (int i = 0; i < kCount; i++) values[i] = i % 7;
  cudaMemcpy(in, values.data(), kCount * sizeof(unsigned), cudaMemcpyHostToDevice);
  auto* kernel = inclusive_scan<unsigned>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  kernel<<<kBlocks, kThreads, kSharedBytes>>>(in, out, sums, sums + kBlocks);  // FAULT
  std::vector<unsigned> got(kCount);
  cudaMemcpy(got.data(), out, kCount * sizeof(unsigned), cudaMemcpyDeviceToHost);
  unsigned sum = 0, wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != (sum += values[i]);
  std::printf("%u wrong\n", wrong);
  cudaFree(sums);
  cudaFree(out);
  cudaFree(in);
  return wrong != 0;
}
