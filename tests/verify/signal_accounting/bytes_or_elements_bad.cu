// The sender adds the message's bytes to the signal, the receiver waits for its elements.
// ranks: 2
// nodes: 2
// expect-finding: signal_accounting
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kHead = 16;
constexpr int kBody = 112;
constexpr int kCount = kHead + kBody;

__global__ void send(ncclDevComm comm, ncclSymPtr<int> from, ncclSymPtr<int> to) {
  ncclGin gin{comm, 0};
  ncclTeam world = ncclTeamWorld(comm);
  gin.put(world, 1, to, from, kCount, ncclGin_SignalAdd{0, kCount * sizeof(int)});  // FAULT
  gin.flush(ncclCoopThread());
}

__global__ void receive(ncclDevComm comm, ncclSymPtr<int> to, int* copy) {
  ncclGin{comm, 0}.waitSignal(ncclCoopCta(), 0, kCount);  // FAULT
  copy[threadIdx.x] = to.localPtr()[threadIdx.x];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window from(ranks.comm, kCount * sizeof(int)), to(ranks.comm, kCount * sizeof(int));
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; i++) values[i] = 9 * i;
  upload(reinterpret_cast<int*>(from.base), values);
  int* copy;
  CHECK(cudaMalloc(&copy, kCount * sizeof(int)));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  long wrong = 0;
  if (ranks.rank == 0) {
    send<<<1, 1>>>(dev_comm, ncclSymPtr<int>(from.handle), ncclSymPtr<int>(to.handle));
    CHECK(cudaDeviceSynchronize());
  } else {
    receive<<<1, kCount>>>(dev_comm, ncclSymPtr<int>(to.handle), copy);
    std::vector<int> got = download(copy, kCount);
    for (int i = 0; i < kCount; i++) wrong += got[i] != values[i];
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(copy));
  return ranks.verdict(wrong);
}
