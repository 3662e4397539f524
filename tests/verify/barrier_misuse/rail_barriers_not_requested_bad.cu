// A world barrier has an LSA and a rail part; only LSA barriers were asked for, so rail barrier 0 is out of range.
// ranks: 4
// nodes: 2
// expect-finding: barrier_misuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kElements = 100;
constexpr size_t kBytes = kElements * sizeof(int);

// The barrier tells that every rank has poisoned its receive buffer.
__global__ void all_to_all(ncclDevComm comm, ncclWindow_t send, ncclWindow_t receive) {
  ncclGin gin{comm, 0};
  auto* inbox = static_cast<int*>(ncclGetLocalPointer(receive, 0));
  for (int i = threadIdx.x; i < kElements * comm.nRanks; i += blockDim.x) inbox[i] = -1;
  ncclBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclTeamTagWorld(), gin, 0};   // FAULT
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);  // FAULT
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.put(ncclTeamWorld(comm), peer, receive, comm.rank * kBytes, send, peer * kBytes, kBytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, comm.nRanks);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window send(ranks.comm, ranks.count * kBytes), receive(ranks.comm, ranks.count * kBytes);
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 1;  // FAULT
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(ranks.count * kElements);
    for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(ranks.rank * 10000 + i);
    upload(reinterpret_cast<int*>(send.base), values);
    all_to_all<<<1, 64>>>(dev_comm, send.handle, receive.handle);
    std::vector<int> got = download(reinterpret_cast<int*>(receive.base), values.size());
    for (int i = 0; i < ranks.count * kElements; i++)
      wrong += got[i] != i / kElements * 10000 + ranks.rank * kElements + i % kElements;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
