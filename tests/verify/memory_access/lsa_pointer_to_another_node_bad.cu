// Pointers are asked for of all ranks, but loads and stores reach only those of the node.
// ranks: 4
// nodes: 2
// expect-finding: memory_access
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void mark_peers(ncclDevComm comm, ncclWindow_t window) {
  int peers = comm.nRanks;  // FAULT
  for (int peer = threadIdx.x; peer < peers; peer += blockDim.x)
    static_cast<int*>(ncclGetLsaPointer(window, 0, peer))[comm.rank] = comm.rank;  // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 4096);
  ncclDevCommRequirements requirements{};
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  mark_peers<<<1, 32>>>(dev_comm, window.handle);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return 0;
}
