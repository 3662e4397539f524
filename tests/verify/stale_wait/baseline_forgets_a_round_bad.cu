// The signal's value is read once, at the first launch; from the second launch on the wait asks for what came long ago.
// ranks: 2
// expect-finding: stale_wait
#include "../pair.h"

__global__ void read_baseline(ncclDevComm comm, uint64_t* before) { *before = ncclGin{comm, 0}.readSignal(0); }

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, const uint64_t* before, int launch, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16 + launch), window, slot(launch), kBytes,  // FAULT
            ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, *before + 1);  // FAULT
  sums[threadIdx.x] += numbers_at(window, 16 + launch)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  uint64_t* before;
  CHECK(cudaMalloc(&before, sizeof *before));
  read_baseline<<<1, 1>>>(pair.dev_comm, before);
  pair.meet();
  for (int launch = 0; launch < 3; launch++)
    exchange<<<1, kCount>>>(pair.dev_comm, pair.window.handle, before, launch, pair.sums);
  pair.meet();
  CHECK(cudaFree(before));
}
