// A two-dimensional grid uses a flat barrier index, but only one barrier per column of the grid was asked for.
// ranks: 2
// expect-finding: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kTile = 64;

__global__ void exchange_tiles(ncclDevComm comm, ncclWindow_t window, int* out) {
  unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), block};  // FAULT
  size_t at = block * kTile * sizeof(int);
  static_cast<int*>(ncclGetLsaPointer(window, at, 1 - comm.lsaRank))[threadIdx.x] =
      comm.rank * 10000 + static_cast<int>(block) * kTile + threadIdx.x;
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);  // FAULT
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, at));
  out[block * kTile + threadIdx.x] = got[kTile - 1 - threadIdx.x];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const dim3 grid(4, 2);
  const int blocks = grid.x * grid.y;
  long wrong = 0;
  {
    Window window(ranks.comm, blocks * kTile * sizeof(int));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = grid.x;  // FAULT
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    int* out;
    CHECK(cudaMalloc(&out, blocks * kTile * sizeof(int)));
    exchange_tiles<<<grid, kTile>>>(dev_comm, window.handle, out);  // FAULT
    std::vector<int> got = download(out, blocks * kTile);
    for (int i = 0; i < blocks * kTile; i++)
      wrong += got[i] != (1 - ranks.rank) * 10000 + i / kTile * kTile + kTile - 1 - i % kTile;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
