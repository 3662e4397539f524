// The producer moves a tail index by VA signals behind its puts; the window has no strict ordering, so the index may lead.
// ranks: 2
// nodes: 2
// expect-finding: window_race
#include "../pair.h"

constexpr int kItems = 4;

__global__ void stream_items(ncclDevComm comm, ncclWindow_t data, ncclWindow_t tail, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  for (int item = 0; item < kItems && threadIdx.x == 0; item++) {
    gin.put(world, 1 - comm.rank, data, slot(16 + item), data, slot(item), kBytes);  // FAULT
    gin.signal(world, 1 - comm.rank, ncclGin_StrongVASignalAdd{tail, 0, 1});
  }
  for (int item = 0; item < kItems; item++) {
    if (threadIdx.x == 0)
      while (gin.readSignal(tail, 0) <= item) continue;
    __syncthreads();
    sums[threadIdx.x] += numbers_at(data, 16 + item)[threadIdx.x];  // FAULT
  }
}

int main(int argc, char** argv) {
  Pair pair(&argc, &argv);
  Window tail(pair.ranks.comm, 4096, NCCL_WIN_COLL_SYMMETRIC);
  CHECK(cudaMemset(tail.base, 0, 4096));
  pair.meet();
  stream_items<<<1, kCount>>>(pair.dev_comm, pair.window.handle, tail.handle, pair.sums);
  pair.meet();
}
