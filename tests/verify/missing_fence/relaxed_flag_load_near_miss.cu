// The flag is polled relaxed, and one acquire fence after the loop orders the loads of the data behind it.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kCount = 64;
constexpr size_t kFlag = kCount * sizeof(float);

__global__ void produce(ncclWindow_t window) {
  auto* theirs = static_cast<float*>(ncclGetLsaPointer(window, 0, 1));
  theirs[threadIdx.x] = 0.5f * threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(*static_cast<int*>(ncclGetLsaPointer(window, kFlag, 1)));
    flag.store(1, cuda::memory_order_release);
  }
}

__global__ void consume(ncclWindow_t window, float* out) {
  if (threadIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_system> flag(*static_cast<int*>(ncclGetLocalPointer(window, kFlag)));
    while (flag.load(cuda::memory_order_relaxed) == 0) continue;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
  }
  __syncthreads();
  out[threadIdx.x] = 2 * static_cast<const float*>(ncclGetLocalPointer(window, 0))[threadIdx.x];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, kFlag + sizeof(int));
  CHECK(cudaMemset(window.base, 0, kFlag + sizeof(int)));
  float* out;
  CHECK(cudaMalloc(&out, kFlag));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  long wrong = 0;
  if (ranks.rank == 0) {
    produce<<<1, kCount>>>(window.handle);
    CHECK(cudaDeviceSynchronize());
  } else {
    consume<<<1, kCount>>>(window.handle, out);
    std::vector<float> got = download(out, kCount);
    for (int i = 0; i < kCount; i++) wrong += got[i] != i;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaFree(out));
  return ranks.verdict(wrong);
}
