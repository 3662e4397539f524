// The signal rides on the put, so who sees it sees the data; flush is there for the source alone.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 256;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void swap_and_add(ncclDevComm comm, ncclWindow_t window, int* sums) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0}, ncclGin_None{},
          ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, 1);
  auto* own = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) sums[i] = own[i] + own[kCount + i];
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, 2 * kBytes);
  std::vector<int> values(2 * kCount);
  for (int i = 0; i < kCount; i++) values[i] = ranks.rank * 1000 + i;
  upload(reinterpret_cast<int*>(window.base), values);
  int* sums;
  CHECK(cudaMalloc(&sums, kBytes));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  requirements.ginForceEnable = true;
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  swap_and_add<<<1, 128>>>(dev_comm, window.handle, sums);
  std::vector<int> got = download(sums, kCount);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != 1000 + 2 * i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(sums));
  return ranks.verdict(wrong);
}
