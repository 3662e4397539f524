// Signals belong to a device communicator: the one that is raised has the same number as the one that is awaited, no more.
// ranks: 2
// nodes: 2
// expect-finding: deadlock
#include "../pair.h"

__global__ void greet(ncclDevComm comm) {
  ncclGin{comm, 0}.signal(ncclTeamWorld(comm), 1 - comm.rank, ncclGin_SignalInc{2});
}

__global__ void wait(ncclDevComm comm) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 2, 1); }  // FAULT

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  const ncclDevCommRequirements needs = requirements_of_pair();
  ncclDevComm other;
  CHECK(ncclDevCommCreate(pair.ranks.comm, &needs, &other));
  greet<<<1, 1>>>(pair.dev_comm);
  wait<<<1, 1>>>(other);
  pair.meet();
  CHECK(ncclDevCommDestroy(pair.ranks.comm, &other));
}
