// The device communicator is that of the pair, the window was registered with another communicator over the same ranks.
// ranks: 2
// nodes: 2
// expect-finding: memory_access
#include "../pair.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16), window, slot(0), kBytes,  // FAULT
            ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] += numbers_at(window, 16)[threadIdx.x];
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  ncclComm_t twin;
  CHECK(ncclCommSplit(pair.ranks.comm, 0, pair.ranks.rank, &twin, nullptr));
  {
    Window window(twin, kSlots * kBytes);
    CHECK(cudaMemset(window.base, 0, kSlots * kBytes));
    const ncclDevCommRequirements needs = requirements_of_pair();
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(twin, &needs, &dev_comm));
    pair.meet();
    exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
    exchange<<<1, kCount>>>(pair.dev_comm, window.handle, pair.sums);
    pair.meet();
    CHECK(ncclDevCommDestroy(twin, &dev_comm));
  }
  CHECK(ncclCommDestroy(twin));
}
