// The sending kernel ends without flush: the end of a kernel does not mean that the NIC has read the source.
// ranks: 2
// nodes: 2
// expect-finding: source_reuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 128;
constexpr size_t kBytes = kCount * sizeof(int);
constexpr int kRounds = 3;

__global__ void compute(int* out, int rank, int round) { out[threadIdx.x] = rank + 10 * round + threadIdx.x; }  // FAULT

__global__ void send(ncclDevComm comm, ncclWindow_t own, ncclWindow_t inbox, int round) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, inbox, round * kBytes, own, 0, kBytes, ncclGin_SignalInc{0});  // FAULT
}

__global__ void finish(ncclDevComm comm) {
  ncclGin gin{comm, 0};
  gin.waitSignal(ncclCoopThread(), 0, kRounds);
  gin.flush(ncclCoopThread());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window own(ranks.comm, kBytes), inbox(ranks.comm, kRounds * kBytes);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int round = 0; round < kRounds; round++) {
    compute<<<1, kCount, 0, stream>>>(reinterpret_cast<int*>(own.base), ranks.rank, round);
    send<<<1, 1, 0, stream>>>(dev_comm, own.handle, inbox.handle, round);
  }
  finish<<<1, 1, 0, stream>>>(dev_comm);
  CHECK(cudaStreamSynchronize(stream));
  std::vector<int> got = download(reinterpret_cast<int*>(inbox.base), kRounds * kCount);
  long wrong = 0;
  for (int i = 0; i < kRounds * kCount; i++) wrong += got[i] != 1 - ranks.rank + i / kCount * 10 + i % kCount;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
