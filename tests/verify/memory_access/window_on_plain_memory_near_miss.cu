// The window's memory comes from ncclMemAlloc; the plain cudaMalloc memory beside it is used on its own rank only.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 128;

__global__ void read_neighbour(ncclDevComm comm, ncclWindow_t window, const int* own, int* out) {
  ncclLsaBarrierSession<ncclCoopCta> barrier{ncclCoopCta(), comm, ncclTeamTagLsa(), 0};
  static_cast<int*>(ncclGetLocalPointer(window, 0))[threadIdx.x] = own[threadIdx.x];
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  int neighbour = (comm.lsaRank + 1) % comm.lsaSize;
  out[threadIdx.x] = static_cast<int*>(ncclGetLsaPointer(window, 0, neighbour))[threadIdx.x];
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t bytes = kCount * sizeof(int);
  int *shared, *own, *out;
  CHECK(ncclMemAlloc(reinterpret_cast<void**>(&shared), bytes));
  CHECK(cudaMalloc(&own, bytes));
  CHECK(cudaMalloc(&out, bytes));
  upload(own, std::vector<int>(kCount, ranks.rank + 20));
  ncclWindow_t window;
  CHECK(ncclCommWindowRegister(ranks.comm, shared, bytes, &window, NCCL_WIN_COLL_SYMMETRIC));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  read_neighbour<<<1, kCount>>>(dev_comm, window, own, out);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (int value : download(out, kCount)) wrong += value != (ranks.rank + 1) % ranks.count + 20;
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(ncclCommWindowDeregister(ranks.comm, window));
  CHECK(cudaFree(out));
  CHECK(cudaFree(own));
  CHECK(ncclMemFree(shared));
  return ranks.verdict(wrong);
}
