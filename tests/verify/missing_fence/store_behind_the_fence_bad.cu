// Every thread makes a fence after its store, and the barrier brings the fences together. One thread stores again behind its
// fence: the flag does not speak for that.
// ranks: 2
// expect-finding: missing_fence
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kThreads = 128;
constexpr size_t kFlag = kThreads * sizeof(int2);

class Channel {
 public:
  __device__ Channel(ncclWindow_t window, int lsa_rank)
      : cells_(static_cast<int2*>(ncclGetLsaPointer(window, 0, lsa_rank))),
        flag_(*static_cast<int*>(ncclGetLsaPointer(window, kFlag, lsa_rank))) {}

  __device__ void write(int2 value) {
    cells_[threadIdx.x] = make_int2(-1, -1);
    if (threadIdx.x != 7) cells_[threadIdx.x] = value;
    __threadfence_system();
    if (threadIdx.x == 7) cells_[threadIdx.x] = value;  // FAULT
    __syncthreads();
    if (threadIdx.x == 0) flag_.store(1, cuda::memory_order_relaxed);
  }
  __device__ int2 read() {
    if (threadIdx.x == 0)
      while (!flag_.load(cuda::memory_order_acquire)) continue;
    __syncthreads();
    return cells_[threadIdx.x];  // FAULT
  }

 private:
  int2* cells_;
  cuda::atomic_ref<int, cuda::thread_scope_system> flag_;
};

__global__ void swap_pairs(ncclWindow_t window, int rank, int2* out) {
  Channel(window, 1 - rank).write(make_int2(rank, threadIdx.x));
  out[threadIdx.x] = Channel(window, rank).read();
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, kFlag + sizeof(int));
  CHECK(cudaMemset(window.base, 0, kFlag + sizeof(int)));
  int2* out;
  CHECK(cudaMalloc(&out, kFlag));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  swap_pairs<<<1, kThreads>>>(window.handle, ranks.rank, out);
  std::vector<int2> got = download(out, kThreads);
  long wrong = 0;
  for (int i = 0; i < kThreads; i++) wrong += got[i].x != 1 - ranks.rank || got[i].y != i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaFree(out));
  return ranks.verdict(wrong);
}
