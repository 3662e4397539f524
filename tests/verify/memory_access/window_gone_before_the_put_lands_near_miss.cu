// The receiver waits for the put's signal before it deregisters its window.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

__global__ void send(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1, window, slot(16), window, slot(0), kBytes, ncclGin_SignalInc{0});
  gin.flush(ncclCoopThread());
}

__global__ void receive(ncclDevComm comm) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, 1); }

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  Window inbox(pair.ranks.comm, kSlots * kBytes);
  CHECK(cudaMemset(inbox.base, 0, kSlots * kBytes));
  pair.meet();
  if (pair.ranks.rank == 0) send<<<1, 1>>>(pair.dev_comm, inbox.handle);
  if (pair.ranks.rank == 1) receive<<<1, 1>>>(pair.dev_comm);
  pair.meet();
}
