// Half of the block fetches from the peer, half prepares; each half has a barrier of its own in its branch.
// ranks: 2
// expect-finding: divergent_barrier
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kThreads = 128;

__global__ void combine(ncclDevComm comm, ncclSymPtr<int> in, int* out) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  __shared__ int fetched[kThreads / 2], prepared[kThreads / 2];
  int i = threadIdx.x % (kThreads / 2);
  if (threadIdx.x < kThreads / 2) {
    fetched[i] = in.lsaPtr(1 - comm.lsaRank)[i];
    __syncthreads();  // FAULT
    out[i] = fetched[i] + prepared[i];
  } else {
    prepared[i] = i * 1000;
    __syncthreads();  // FAULT
    out[kThreads / 2 + i] = fetched[i] - prepared[i];
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, kThreads / 2 * sizeof(int));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(kThreads / 2);
    for (int i = 0; i < kThreads / 2; i++) values[i] = ranks.rank * 100 + i;
    upload(reinterpret_cast<int*>(window.base), values);
    int* out;
    CHECK(cudaMalloc(&out, kThreads * sizeof(int)));
    combine<<<1, kThreads>>>(dev_comm, ncclSymPtr<int>(window.handle), out);
    std::vector<int> got = download(out, kThreads);
    for (int i = 0; i < kThreads / 2; i++) {
      wrong += got[i] != (1 - ranks.rank) * 100 + i + i * 1000;
      wrong += got[kThreads / 2 + i] != (1 - ranks.rank) * 100 + i - i * 1000;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
