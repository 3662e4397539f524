// Each rank meets the others once per chunk of its own, but the ranks have different numbers of chunks.
// ranks: 3
// expect-finding: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunksMax = 4;
constexpr int kChunk = 32;
constexpr size_t kRankBytes = kChunksMax * kChunk * sizeof(int);

int chunks_of(int rank) { return 2 + rank; }

__device__ void store_to_all(const ncclDevComm& comm, ncclWindow_t window, int chunk) {
  size_t at = comm.rank * kRankBytes + chunk * kChunk * sizeof(int);
  for (int peer = 0; peer < comm.lsaSize; peer++)
    static_cast<int*>(ncclGetLsaPointer(window, at, peer))[threadIdx.x] =
        comm.rank * 1000 + chunk * kChunk + threadIdx.x;
}

__global__ void gather(ncclDevComm comm, ncclWindow_t window, int chunks, int rounds) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  for (int round = 0; round < rounds; round++) {  // FAULT
    if (round < chunks) store_to_all(comm, window, round);
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);  // FAULT
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, ranks.count * kRankBytes);
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    int chunks = chunks_of(ranks.rank), rounds = chunks;
    gather<<<1, kChunk>>>(dev_comm, window.handle, chunks, rounds);  // FAULT
    CHECK(cudaDeviceSynchronize());                                  // FAULT
    for (int source = 0; source < ranks.count; source++) {
      int count = chunks_of(source) * kChunk;
      std::vector<int> got = download(reinterpret_cast<int*>(window.base + source * kRankBytes), count);
      for (int i = 0; i < count; i++) wrong += got[i] != source * 1000 + i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
