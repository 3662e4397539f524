// Threads beyond the last element skip the work but take part in the team barrier, and leave after it.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 200;

template <typename T>
__global__ void broadcast_sum(ncclDevComm comm, ncclSymPtr<T> in, T* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool inside = i < count;
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  if (inside) in.localPtr()[i] = static_cast<T>(comm.rank + 1) * i;
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  if (!inside) return;
  out[i] = in.lsaPtr(0)[i] + in.lsaPtr(1)[i];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, kCount * sizeof(float));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 2;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    float* out;
    CHECK(cudaMalloc(&out, kCount * sizeof(float)));
    broadcast_sum<<<2, 128>>>(dev_comm, ncclSymPtr<float>(window.handle), out, kCount);
    std::vector<float> got = download(out, kCount);
    for (int i = 0; i < kCount; i++) wrong += got[i] != 3.0f * static_cast<float>(i);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
