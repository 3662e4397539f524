// Blocks put on contexts of their own, and the last to be done signals for all of them on one context.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

constexpr int kBlocks = 2;

__global__ void send(ncclDevComm comm, ncclWindow_t window, int* done) {
  ncclGin gin{comm, static_cast<int>(blockIdx.x)};
  ncclTeam world = ncclTeamWorld(comm);
  int peer = 1 - comm.rank;
  gin.put(world, peer, window, slot(16 + blockIdx.x), window, slot(blockIdx.x), kBytes);  // FAULT
  __threadfence();
  if (atomicAdd(done, 1) == kBlocks - 1) gin.signal(world, peer, ncclGin_SignalInc{0});
}

__global__ void receive(ncclDevComm comm, ncclWindow_t window, int* sums) {
  // The signal is on the context of whichever block was last.
  ncclGin first{comm, 0}, second{comm, 1};
  if (threadIdx.x == 0)
    while (first.readSignal(0) + second.readSignal(0) == 0) continue;
  __syncthreads();
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x] + numbers_at(window, 17)[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  int* done;
  CHECK(cudaMalloc(&done, sizeof *done));
  CHECK(cudaMemset(done, 0, sizeof *done));
  send<<<kBlocks, 1>>>(pair.dev_comm, pair.window.handle, done);
  receive<<<1, kCount>>>(pair.dev_comm, pair.window.handle, pair.sums);
  pair.meet();
  CHECK(cudaFree(done));
}
