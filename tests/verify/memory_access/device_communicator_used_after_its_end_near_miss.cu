// The device communicator is made anew between two launches, and the second is given the new one.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void greet(ncclDevComm comm) {
  ncclGin gin{comm, 0};
  gin.signal(ncclTeamWorld(comm), 1 - comm.rank, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopThread(), 0, 1);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const ncclDevCommRequirements needs = requirements_of_pair();
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &needs, &dev_comm));
  greet<<<1, 1>>>(dev_comm);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(ncclDevCommCreate(ranks.comm, &needs, &dev_comm));
  greet<<<1, 1>>>(dev_comm);
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
}
