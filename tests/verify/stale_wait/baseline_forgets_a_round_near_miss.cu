// The value that was read at the first launch is raised by one for every launch since.
// ranks: 2
// expect: no findings
#include "../pair.h"

__global__ void read_baseline(ncclDevComm comm, uint64_t* before) { *before = ncclGin{comm, 0}.readSignal(0); }

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, const uint64_t* before, int launch, int* sums) {
  ncclGin gin{comm, 0};
  if (threadIdx.x == 0)
    gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, slot(16 + launch), window, slot(launch), kBytes,
            ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, *before + 1 + launch);
  sums[threadIdx.x] += numbers_at(window, 16 + launch)[threadIdx.x];
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
