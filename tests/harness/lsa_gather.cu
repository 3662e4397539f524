// Gathers the ranks' values as misbehaves.cu does by a collective, but by stores into the peers' windows. With waits=0 it
// does not ask whether the peers are done with the call before.
#include <cuco/harness.h>
#include <nccl_device.h>

#include "ranks.h"

__global__ void gather(ncclDevComm comm, ncclWindow_t window, const float* values, int count, bool waits) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x};
  if (waits) barrier.sync(ncclCoopCta(), cuda::memory_order_relaxed);
  for (int peer = 0; peer < comm.nRanks; peer++) {
    auto* target = static_cast<float*>(ncclGetLsaPointer(window, 0, peer));
    for (int i = threadIdx.x; i < count; i += blockDim.x) target[comm.rank * count + i] = values[i];
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  cuco::Harness harness(ranks.rank, ranks.count, argc, argv);
  int count = static_cast<int>(harness.parameter("count", 64));
  bool waits = harness.parameter("waits", 1) != 0;
  float* values = allocate<float>(count);
  float* gathered = nullptr;
  size_t bytes = size_t{sizeof(float)} * count * ranks.count;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&gathered), bytes));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(ranks.comm, gathered, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm device_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &device_comm));
  harness.input("values", values, count, cuco::normal(0, 1));
  harness.output("gathered", gathered, static_cast<uint64_t>(count) * ranks.count, cuco::exact());
  harness.run([&] {
    gather<<<1, 64, 0, ranks.stream>>>(device_comm, window, values, count, waits);
    CHECK(cudaStreamSynchronize(ranks.stream));
  });
  CHECK(ncclDevCommDestroy(ranks.comm, &device_comm));
  CHECK(ncclCommWindowDeregister(ranks.comm, window));
  CHECK(ncclMemFree(gathered));
  CHECK(cudaFree(values));
}
