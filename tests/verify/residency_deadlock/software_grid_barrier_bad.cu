// A hand-made grid barrier in a kernel with one block a row; not all rows fit at once, so it never fills.
// ranks: 2
// expect-finding: residency_deadlock
#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kRows = 160;
constexpr int kColumns = 64;
constexpr int kSteps = 2;
constexpr int kSharedBytes = 120 * 1024;  // One block an SM.

using Count = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ void grid_barrier(unsigned* arrived, unsigned generation) {
  __syncthreads();
  if (threadIdx.x == 0) {
    Count count(*arrived);
    count.fetch_add(1, cuda::memory_order_acq_rel);
    while (count.load(cuda::memory_order_acquire) < generation * gridDim.x) {  // FAULT
    }
  }
  __syncthreads();
}

__device__ void relax_row(const float* from, float* to, int row, float* tile) {
  int column = threadIdx.x;
  tile[column] = from[row * kColumns + column];
  float above = row > 0 ? from[(row - 1) * kColumns + column] : 0.0f;
  __syncthreads();
  to[row * kColumns + column] = above + tile[(column + 1) % kColumns];
  __syncthreads();
}

__global__ void relax(float* a, float* b, unsigned* arrived) {
  extern __shared__ float tile[];
  for (int step = 0; step < kSteps; step++) {
    float* from = step % 2 == 0 ? a : b;
    float* to = step % 2 == 0 ? b : a;
    for (int row = blockIdx.x; row < kRows; row += gridDim.x) relax_row(from, to, row, tile);
    grid_barrier(arrived, step + 1);  // FAULT
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int count = kRows * kColumns;
  CHECK(cudaFuncSetAttribute(relax, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  float *a, *b;
  unsigned* arrived;
  CHECK(cudaMalloc(&a, count * sizeof(float)));
  CHECK(cudaMalloc(&b, count * sizeof(float)));
  CHECK(cudaMalloc(&arrived, sizeof(unsigned)));
  CHECK(cudaMemset(arrived, 0, sizeof(unsigned)));
  upload(a, std::vector<float>(count, 1.0f));
  relax<<<kRows, kColumns, kSharedBytes>>>(a, b, arrived);  // FAULT
  CHECK(ncclAllReduce(a, a, count, ncclFloat, ncclSum, ranks.comm, nullptr));
  std::vector<float> got = download(a, count);
  long wrong = 0;
  for (int i = 0; i < count; i++) {
    float expected = i / kColumns == 0 ? 1.0f : i / kColumns == 1 ? 3.0f : 4.0f;
    wrong += got[i] != expected * static_cast<float>(ranks.count);
  }
  CHECK(cudaFree(arrived));
  CHECK(cudaFree(b));
  CHECK(cudaFree(a));
  return ranks.verdict(wrong);
}
