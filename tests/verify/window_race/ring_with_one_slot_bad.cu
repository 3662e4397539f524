// Each step stores into the one slot of the right neighbour and raises its flag; nobody asks whether the slot is still read.
// ranks: 4
// expect-finding: window_race
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kCount = 128;
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void pass_round(ncclDevComm comm, ncclWindow_t window, size_t flag_at, int* sum) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  int right = (comm.lsaRank + 1) % comm.lsaSize;
  auto* flag_here = static_cast<unsigned*>(ncclGetLocalPointer(window, flag_at));
  auto* flag_there = static_cast<unsigned*>(ncclGetLsaPointer(window, flag_at, right));
  int value = comm.rank + 1, total = value;
  for (int step = 0; step + 1 < comm.lsaSize; step++) {
    size_t slot = 0;  // FAULT
    static_cast<int*>(ncclGetLsaPointer(window, slot, right))[threadIdx.x] = value;  // FAULT
    __syncthreads();
    if (threadIdx.x == 0) {
      Flag(*flag_there).store(step + 1, cuda::memory_order_release);
      while (Flag(*flag_here).load(cuda::memory_order_acquire) < step + 1) {
      }
    }
    __syncthreads();
    value = static_cast<int*>(ncclGetLocalPointer(window, slot))[threadIdx.x];  // FAULT
    total += value;
  }
  sum[threadIdx.x] = total;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t flag_at = ranks.count * kCount * sizeof(int);
  long wrong = 0;
  {
    Window window(ranks.comm, flag_at + 64);
    CHECK(cudaMemset(window.base, 0, flag_at + 64));
    CHECK(cudaDeviceSynchronize());
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    int* sum;
    CHECK(cudaMalloc(&sum, kCount * sizeof(int)));
    pass_round<<<1, kCount>>>(dev_comm, window.handle, flag_at, sum);
    std::vector<int> got = download(sum, kCount);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(sum));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
