// The receive half of the window is never cleared, but the put fills all of it before the signal is visible.
// ranks: 2
// nodes: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 256;

__global__ void swap_halves(ncclDevComm comm, ncclWindow_t window, float* sum) {
  ncclGin gin{comm, 0};
  int peer = 1 - comm.rank;
  size_t receive_at = kCount * sizeof(float);
  gin.put(ncclTeamWorld(comm), peer, window, receive_at, window, 0, kCount * sizeof(float), ncclGin_SignalInc{0},
          ncclGin_None{}, ncclCoopCta());
  gin.waitSignal(ncclCoopCta(), 0, 1);
  auto* received = static_cast<const float*>(ncclGetLocalPointer(window, receive_at));
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) atomicAdd(sum, received[i]);
  gin.flush(ncclCoopCta());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * kCount * sizeof(float));
    upload(reinterpret_cast<float*>(window.base), std::vector<float>(kCount, ranks.rank + 1.0f));
    float* sum;
    CHECK(cudaMalloc(&sum, sizeof(float)));
    CHECK(cudaMemset(sum, 0, sizeof(float)));
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    swap_halves<<<1, 64>>>(dev_comm, window.handle, sum);
    CHECK(cudaDeviceSynchronize());
    wrong = download(sum, 1)[0] != kCount * (2.0f - ranks.rank);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
    CHECK(cudaFree(sum));
  }
  return ranks.verdict(wrong);
}
