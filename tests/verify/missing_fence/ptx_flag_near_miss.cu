// A flag by PTX, stored with release and loaded with acquire.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kThreads = 128;
constexpr size_t kFlag = kThreads * sizeof(int2);

class Channel {
 public:
  __device__ Channel(ncclWindow_t window, int lsa_rank)
      : cells_(static_cast<int2*>(ncclGetLsaPointer(window, 0, lsa_rank))),
        flag_(static_cast<int*>(ncclGetLsaPointer(window, kFlag, lsa_rank))) {}

  __device__ void write(int2 value) {
    cells_[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag_), "r"(1) : "memory");
  }
  __device__ int2 read() {
    if (threadIdx.x == 0)
      for (unsigned seen = 0; seen == 0;)
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag_) : "memory");
    __syncthreads();
    return cells_[threadIdx.x];
  }

 private:
  int2* cells_;
  int* flag_;
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
