// One barrier per block is used, fewer were asked for.
// ranks: 2
// fault: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void meet(ncclDevComm comm) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 4;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
#ifdef FAULT
  meet<<<5, 32>>>(dev_comm);
#else
  meet<<<4, 32>>>(dev_comm);
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
