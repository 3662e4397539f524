// All-reduce of a million floats through peers' memory.
#include <nccl_device.h>

#include "support.h"

__global__ void all_reduce(ncclDevComm comm, ncclWindow_t in, float* out, size_t count) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int peer = 0; peer < comm.lsaSize; peer++) sum += static_cast<float*>(ncclGetLsaPointer(in, 0, peer))[i];
    out[i] = sum;
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t count = 1 << 20;
  long wrong = 0;
  {
    Window in(ranks.comm, count * 4);
    float* out;
    CHECK(cudaMalloc(&out, count * 4));
    ncclDevCommRequirements requirements{};
    requirements.lsaBarrierCount = 16;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    upload(reinterpret_cast<float*>(in.base), std::vector<float>(count, static_cast<float>(ranks.rank)));
    all_reduce<<<16, 512>>>(dev_comm, in.handle, out, count);
    for (float value : download(out, count)) wrong += value != ranks.count * (ranks.count - 1) / 2;
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
    CHECK(cudaFree(out));
  }
  return ranks.verdict(wrong);
}
