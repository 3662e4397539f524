// Blocks put on contexts of their own, each with a signal there, and the reader waits for every context.
// ranks: 2
// nodes: 2
// expect: no findings
#include "../pair.h"

constexpr int kBlocks = 2;

__global__ void send(ncclDevComm comm, ncclWindow_t window, int* done) {
  ncclGin gin{comm, static_cast<int>(blockIdx.x)};
  ncclTeam world = ncclTeamWorld(comm);
  int peer = 1 - comm.rank;
  gin.put(world, peer, window, slot(16 + blockIdx.x), window, slot(blockIdx.x), kBytes, ncclGin_SignalInc{0});
}

__global__ void receive(ncclDevComm comm, ncclWindow_t window, int* sums) {
  for (int context = 0; context < kBlocks; context++) ncclGin{comm, context}.waitSignal(ncclCoopCta(), 0, 1);
  sums[threadIdx.x] = numbers_at(window, 16)[threadIdx.x] + numbers_at(window, 17)[threadIdx.x];
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
