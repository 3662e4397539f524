// All-to-all by puts: 8 blocks of 1024 threads a rank are alive at once, half a million on 64 ranks.
#include <nccl_device.h>

#include "support.h"

__global__ void exchange(ncclDevComm comm, ncclWindow_t send, ncclWindow_t receive, size_t bytes) {
  ncclGin gin{comm, 0};
  if (blockIdx.x == 0)
    for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
      gin.put(ncclTeamWorld(comm), peer, receive, comm.rank * bytes, send, peer * bytes, bytes, ncclGin_SignalInc{0});
  gin.waitSignal(ncclCoopCta(), 0, comm.nRanks);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t count = 1024;
  long wrong = 0;
  {
    Window send(ranks.comm, ranks.count * count * 4), receive(ranks.comm, ranks.count * count * 4);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(ranks.count * count);
    for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(ranks.rank * values.size() + i);
    upload(reinterpret_cast<int*>(send.base), values);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange<<<8, 1024>>>(dev_comm, send.handle, receive.handle, count * 4);
    std::vector<int> got = download(reinterpret_cast<int*>(receive.base), values.size());
    for (size_t i = 0; i < got.size(); i++)
      wrong += got[i] != static_cast<int>(i / count * values.size() + ranks.rank * count + i % count);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
