// One rank leaves a kernel without the team barrier that the others wait at.
// ranks: 3
// fault: deadlock
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void meet(ncclDevComm comm, int rounds) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  for (int round = 0; round < rounds; round++) barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 4;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  int rounds = 3;
#ifdef FAULT
  if (ranks.rank == 1) rounds = 2;
#endif
  meet<<<4, 32>>>(dev_comm, rounds);
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
