// Every rank of a binary tree waits for the children that it has.
// ranks: 4
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

__global__ void sum_up(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  auto* slots = static_cast<int*>(ncclGetLocalPointer(window, 0));
  int first_child = 2 * comm.rank + 1;
  int children = comm.nRanks - first_child;
  children = children < 0 ? 0 : children > 2 ? 2 : children;
  if (children > 0) gin.waitSignal(ncclCoopThread(), 0, children);
  slots[2] = comm.rank + 1;
  for (int child = 0; child < children; child++) slots[2] += slots[child];
  if (comm.rank == 0) return;
  size_t slot = (comm.rank - 1) % 2 * sizeof(int);
  gin.put(ncclTeamWorld(comm), (comm.rank - 1) / 2, window, slot, window, 2 * sizeof(int), sizeof(int),
          ncclGin_SignalInc{0});
  gin.flush(ncclCoopThread());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 4096);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    sum_up<<<1, 1>>>(dev_comm, window.handle);
    int sum = download(reinterpret_cast<int*>(window.base), 3)[2];
    if (ranks.rank == 0) wrong += sum != ranks.count * (ranks.count + 1) / 2;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
