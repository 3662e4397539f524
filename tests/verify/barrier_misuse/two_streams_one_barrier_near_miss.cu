// Kernels of two streams run side by side and meet their peers at a barrier of their own.
// ranks: 3
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kRounds = 5;

__global__ void shift(ncclDevComm comm, ncclWindow_t window, int lane) {
  uint32_t index = static_cast<uint32_t>(lane);
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), index};
  int right = (comm.lsaRank + 1) % comm.lsaSize;
  for (int round = 0; round < kRounds; round++) {
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
    size_t at = (lane * kRounds + round) * sizeof(int);
    if (threadIdx.x == 0) *static_cast<int*>(ncclGetLsaPointer(window, at, right)) = 10 * comm.rank + round;
    barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 4096);
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 2;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    cudaStream_t streams[2];
    for (int lane = 0; lane < 2; lane++) {
      CHECK(cudaStreamCreateWithFlags(&streams[lane], cudaStreamNonBlocking));
      shift<<<1, 64, 0, streams[lane]>>>(dev_comm, window.handle, lane);
    }
    CHECK(cudaDeviceSynchronize());
    int left = (ranks.rank + ranks.count - 1) % ranks.count;
    std::vector<int> got = download(reinterpret_cast<int*>(window.base), 2 * kRounds);
    for (int i = 0; i < 2 * kRounds; i++) wrong += got[i] != 10 * left + i % kRounds;
    for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
