// A dispatch skips peers for whom it has no tokens, signal included; the receivers wait for every peer all the same.
// ranks: 4
// nodes: 2
// expect-finding: deadlock
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kTokensMax = 4;
constexpr int kHidden = 16;
constexpr size_t kTokenBytes = kHidden * sizeof(int);
constexpr size_t kSlotBytes = kTokensMax * kTokenBytes;

__host__ __device__ int token_count(int source, int target) { return (source + 2 * target) % kTokensMax; }

__global__ void dispatch(ncclDevComm comm, ncclWindow_t send, ncclWindow_t receive) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  ncclGin_SignalInc arrived{static_cast<ncclGinSignal_t>(comm.rank)};
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x) {
    int tokens = token_count(comm.rank, peer);
    if (tokens > 0)  // FAULT
      gin.put(world, peer, receive, comm.rank * kSlotBytes, send, peer * kSlotBytes, tokens * kTokenBytes, arrived);
  }
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.waitSignal(ncclCoopThread(), peer, 1);  // FAULT
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window send(ranks.comm, ranks.count * kSlotBytes), receive(ranks.comm, ranks.count * kSlotBytes);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = ranks.count;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(ranks.count * kTokensMax * kHidden);
    for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(ranks.rank * 100000 + i);
    upload(reinterpret_cast<int*>(send.base), values);
    dispatch<<<1, 32>>>(dev_comm, send.handle, receive.handle);
    CHECK(cudaDeviceSynchronize());
    for (int source = 0; source < ranks.count; source++) {
      size_t count = token_count(source, ranks.rank) * kHidden;
      if (count == 0) continue;
      std::vector<int> got = download(reinterpret_cast<int*>(receive.base + source * kSlotBytes), count);
      for (size_t i = 0; i < count; i++)
        wrong += got[i] != static_cast<int>(source * 100000 + ranks.rank * kTokensMax * kHidden + i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
