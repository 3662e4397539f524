// The loop that waits for the peer's flag tests a copy taken before the loop; the peer's store comes and is not seen.
// ranks: 2
// expect-finding: no_progress
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../simulate/support.h"

struct Inbox {
  int payload;
  unsigned flag;
};

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__device__ Inbox* inbox(ncclWindow_t window, int rank) {
  return static_cast<Inbox*>(ncclGetLsaPointer(window, 0, rank));
}

__device__ void wait_until_set(unsigned* word) {
  Flag flag(*word);
  unsigned seen = flag.load(cuda::memory_order_acquire);
  while (seen == 0) __nanosleep(200);  // FAULT
}

__global__ void swap_values(ncclDevComm comm, ncclWindow_t window, int* out) {
  {
    ncclLsaBarrierSession<ncclCoopThread> barrier{ncclCoopThread(), comm, ncclTeamTagLsa(), 0};
    barrier.sync(ncclCoopThread(), cuda::memory_order_acq_rel);
  }
  Inbox* there = inbox(window, 1 - comm.lsaRank);
  // The lower rank starts late, as it would with more work of its own.
  if (comm.lsaRank == 0) __nanosleep(20000);
  there->payload = 100 + comm.rank;
  Flag(there->flag).store(1, cuda::memory_order_release);
  Inbox* here = inbox(window, comm.lsaRank);
  wait_until_set(&here->flag);  // FAULT
  *out = here->payload;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, sizeof(Inbox));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    CHECK(cudaMemset(window.base, 0, sizeof(Inbox)));
    int* out;
    CHECK(cudaMalloc(&out, sizeof(int)));
    swap_values<<<1, 1>>>(dev_comm, window.handle, out);
    wrong += download(out, 1)[0] != 100 + 1 - ranks.rank;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
