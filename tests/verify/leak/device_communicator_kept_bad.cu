// A device communicator is made for each phase, but only the last one is destroyed.
// ranks: 2
// expect-finding: leak
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kPhases = 3;

__global__ void meet(ncclDevComm comm, int phase, int* log) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  if (blockIdx.x == 0 && threadIdx.x == 0) log[phase] = comm.nRanks;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int* log;
  CHECK(cudaMalloc(&log, kPhases * sizeof(int)));
  ncclDevComm dev_comm;
  for (int phase = 0; phase < kPhases; phase++) {
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = phase + 1;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));  // FAULT
    meet<<<phase + 1, 64>>>(dev_comm, phase, log);
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  long wrong = 0;
  for (int seen : download(log, kPhases)) wrong += seen != ranks.count;
  CHECK(cudaFree(log));
  return ranks.verdict(wrong);
}
