// All-to-all by puts, three rounds; each wait is measured from the signal's value before the round.
// ranks: 4
// nodes: 2
// expect: ok
// expect: rank 2: 0 wrong
#include <nccl_device.h>

#include "support.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t send, ncclWindow_t receive, size_t bytes) {
  ncclGin gin{comm, 0};
  uint64_t before = gin.readSignal(0);
  ncclBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), ncclTeamTagWorld(), gin, blockIdx.x};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.put(ncclTeamWorld(comm), peer, receive, comm.rank * bytes, send, peer * bytes, bytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, before + comm.nRanks);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t count = 1000;
  long wrong = 0;
  {
    Window send(ranks.comm, ranks.count * count * 4), receive(ranks.comm, ranks.count * count * 4);
    ncclDevCommRequirements requirements{};
    requirements.barrierCount = 1;
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    for (int round = 0; round < 3; round++) {
      std::vector<int> values(ranks.count * count);
      for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(round * 1000000 + ranks.rank * 100000 + i);
      upload(reinterpret_cast<int*>(send.base), values);
      CHECK(cudaMemset(receive.base, 0xff, values.size() * 4));
      exchange<<<1, 64>>>(dev_comm, send.handle, receive.handle, count * 4);
      std::vector<int> got = download(reinterpret_cast<int*>(receive.base), values.size());
      for (size_t i = 0; i < got.size(); i++)
        wrong += got[i] != static_cast<int>(round * 1000000 + i / count * 100000 + ranks.rank * count + i % count);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
