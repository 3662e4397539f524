// The last step arrives at the split barrier and does not wait: the barrier's round stays open for the next launch.
// ranks: 2
// expect-finding: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCells = 64;
constexpr int kSteps = 3;

// The peer's edge comes into one of two slots, so that the next edge cannot overtake the reading of this one.
__global__ void advance(ncclDevComm comm, ncclSymPtr<int> edges, int* cells) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  for (int step = 0; step < kSteps; step++) {
    if (threadIdx.x == 0) edges.lsaPtr(1 - comm.lsaRank)[step % 2] = cells[kCells - 1];
    barrier.arrive(ncclCoopCta(), cuda::memory_order_release);  // FAULT
    int own = cells[threadIdx.x] * 2;
    if (step + 1 < kSteps) barrier.wait(ncclCoopCta(), cuda::memory_order_acquire);  // FAULT
    cells[threadIdx.x] = own + (step + 1 < kSteps ? edges.localPtr()[step % 2] : 0);
    __syncthreads();
  }
}

std::vector<int> expected(int rank, int launches) {
  std::vector<int> cells[2];
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < kCells; i++) cells[r].push_back(r + i);
  for (int step = 0; step < launches * kSteps; step++) {
    int edges[2] = {cells[1].back(), cells[0].back()};
    for (int r = 0; r < 2; r++)
      for (int& cell : cells[r]) cell = cell * 2 + ((step + 1) % kSteps != 0 ? edges[r] : 0);
  }
  return cells[rank];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * sizeof(int));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(kCells);
    for (int i = 0; i < kCells; i++) values[i] = ranks.rank + i;
    int* cells;
    CHECK(cudaMalloc(&cells, kCells * sizeof(int)));
    upload(cells, values);
    for (int launch = 0; launch < 2; launch++) {
      advance<<<1, kCells>>>(dev_comm, ncclSymPtr<int>(window.handle), cells);  // FAULT
      CHECK(cudaDeviceSynchronize());
      MPI_Barrier(MPI_COMM_WORLD);
    }
    std::vector<int> got = download(cells, kCells), wanted = expected(ranks.rank, 2);
    for (int i = 0; i < kCells; i++) wrong += got[i] != wanted[i];
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(cells));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
