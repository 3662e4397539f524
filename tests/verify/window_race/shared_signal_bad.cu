// All peers raise one signal, no barrier parts the rounds: a fast peer's second signal counts for a slow peer's first.
// ranks: 4
// nodes: 2
// expect-finding: window_race
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kRounds = 3;
constexpr int kCount = 32;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void all_to_all(ncclDevComm comm, ncclWindow_t send, ncclWindow_t receive, int* sums) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  auto* arrived = static_cast<int*>(ncclGetLocalPointer(receive, 0));
  int sum = 0;
  for (int round = 0; round < kRounds; round++) {
    size_t first = round * comm.nRanks;
    if (threadIdx.x < comm.nRanks) {
      int peer = threadIdx.x;
      ncclGin_SignalInc arrival{0};
      gin.put(world, peer, receive, (first + comm.rank) * kBytes, send, (first + peer) * kBytes, kBytes,
              arrival);  // FAULT
    }
    gin.waitSignal(ncclCoopCta(), 0, (round + 1) * comm.nRanks);                                           // FAULT
    for (int peer = 0; peer < comm.nRanks; peer++) sum += arrived[(first + peer) * kCount + threadIdx.x];  // FAULT
  }
  sums[threadIdx.x] = sum;
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t blocks = kRounds * ranks.count;
  Window send(ranks.comm, blocks * kBytes), receive(ranks.comm, blocks * kBytes);
  std::vector<int> values(blocks * kCount);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(ranks.rank * 1000 + i / kCount % ranks.count);
  upload(reinterpret_cast<int*>(send.base), values);
  CHECK(cudaMemset(receive.base, 0, blocks * kBytes));
  int* sums;
  CHECK(cudaMalloc(&sums, kBytes));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = ranks.count;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  all_to_all<<<1, kCount>>>(dev_comm, send.handle, receive.handle, sums);
  std::vector<int> got = download(sums, kCount);
  long wrong = 0;
  int want = kRounds * (500 * ranks.count * (ranks.count - 1) + ranks.count * ranks.rank);
  for (int value : got) wrong += value != want;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(sums));
  return ranks.verdict(wrong);
}
