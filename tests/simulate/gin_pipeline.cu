// A ring of puts with a counter for the source, per-chunk signals and putValue, over two nodes.
// ranks: 4
// nodes: 2
// expect: ok
// expect: rank 3: 0 wrong
#include <nccl_device.h>

#include "support.h"

constexpr int kChunks = 8;
constexpr int kPerChunk = 64;

__global__ void pass_on(ncclDevComm comm, ncclWindow_t window, size_t receive_at, size_t tag_at) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  int next = (comm.rank + 1) % comm.nRanks;
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int chunk = 0; chunk < kChunks; chunk++) {
    for (int i = threadIdx.x; i < kPerChunk; i += blockDim.x)
      own[chunk * kPerChunk + i] = comm.rank * 10000 + chunk * 100 + i;
    __syncthreads();
    size_t at = chunk * kPerChunk * sizeof(int);
    gin.put(world, next, window, receive_at + at, window, at, kPerChunk * sizeof(int),
            ncclGin_SignalInc{static_cast<ncclGinSignal_t>(chunk)}, ncclGin_CounterInc{0}, ncclCoopCta());
  }
  for (int chunk = 0; chunk < kChunks; chunk++) gin.waitSignal(ncclCoopCta(), chunk, 1);
  gin.waitCounter(ncclCoopCta(), 0, kChunks);
  if (threadIdx.x == 0) {
    gin.putValue(world, next, window, tag_at, 77 + comm.rank, ncclGin_SignalAdd{kChunks, 5});
    gin.waitSignal(ncclCoopThread(), kChunks, 5);
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t bytes = kChunks * kPerChunk * sizeof(int);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * bytes + 4096);
    CHECK(cudaMemset(window.base, 0xff, 2 * bytes + 4096));
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = kChunks + 1;
    requirements.ginCounterCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    pass_on<<<1, 96>>>(dev_comm, window.handle, bytes, 2 * bytes);
    CHECK(cudaDeviceSynchronize());
    int left = (ranks.rank + ranks.count - 1) % ranks.count;
    std::vector<int> got = download(reinterpret_cast<int*>(window.base + bytes), kChunks * kPerChunk + 1);
    for (int i = 0; i < kChunks * kPerChunk; i++)
      wrong += got[i] != left * 10000 + i / kPerChunk * 100 + i % kPerChunk;
    wrong += got[kChunks * kPerChunk] != 77 + left;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
