// A barrier handle of the program's own is made for two barriers and used by three blocks.
// ranks: 2
// expect-finding: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kBlocks = 3;
constexpr int kTile = 32;

class Exchange {
 public:
  Exchange(ncclComm_t comm, int barrier_count) : comm_(comm), window_(comm, 2 * kBlocks * kTile * sizeof(int)) {
    ncclDevResourceRequirements resource{};
    CHECK(ncclLsaBarrierCreateRequirement(ncclTeamLsa(comm), barrier_count, &handle, &resource));
    ncclDevCommRequirements requirements{};
    requirements.resourceRequirementsList = &resource;
    CHECK(ncclDevCommCreate(comm, &requirements, &dev_comm));
  }
  ~Exchange() { CHECK(ncclDevCommDestroy(comm_, &dev_comm)); }
  Exchange(const Exchange&) = delete;

  ncclWindow_t window() const { return window_.handle; }

  ncclLsaBarrierHandle handle;
  ncclDevComm dev_comm;

 private:
  ncclComm_t comm_;
  Window window_;
};

// Every block sends its tile to both ranks and adds up what it gets.
__global__ void sum_tiles(ncclDevComm comm, ncclLsaBarrierHandle handle, ncclWindow_t window, int* sums) {
  ncclTeam team = ncclTeamLsa(comm);
  ncclLsaBarrierSession<ncclCoopWarp> barrier{ncclCoopWarp(), comm, team, handle, blockIdx.x};  // FAULT
  size_t at = (blockIdx.x * 2 + comm.lsaRank) * kTile * sizeof(int);
  for (int peer = 0; peer < team.nRanks; peer++)
    static_cast<int*>(ncclGetPeerPointer(window, at, team, peer))[threadIdx.x] = (comm.rank + 1) * (threadIdx.x + 1);
  barrier.sync(ncclCoopWarp(), cuda::memory_order_acq_rel);  // FAULT
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, blockIdx.x * 2 * kTile * sizeof(int)));
  sums[blockIdx.x * kTile + threadIdx.x] = got[threadIdx.x] + got[kTile + threadIdx.x];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Exchange exchange(ranks.comm, kBlocks - 1);  // FAULT
    int* sums;
    CHECK(cudaMalloc(&sums, kBlocks * kTile * sizeof(int)));
    sum_tiles<<<kBlocks, kTile>>>(exchange.dev_comm, exchange.handle, exchange.window(), sums);  // FAULT
    std::vector<int> got = download(sums, kBlocks * kTile);
    for (int i = 0; i < kBlocks * kTile; i++) wrong += got[i] != 3 * (i % kTile + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(sums));
  }
  return ranks.verdict(wrong);
}
