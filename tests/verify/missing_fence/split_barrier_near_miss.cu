// Arriving releases and waiting acquires; the private work between the two needs no order at all.
// ranks: 2
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 64;

__global__ void shift_and_square(ncclDevComm comm, ncclWindow_t window, int* out) {
  ncclCoopCta cta;
  ncclLsaBarrierSession<ncclCoopCta> barrier{cta, comm, ncclTeamTagLsa(), 0};
  static_cast<int*>(ncclGetLsaPointer(window, 0, 1 - comm.rank))[threadIdx.x] = comm.rank * 10 + threadIdx.x;
  barrier.arrive(cta, cuda::memory_order_release);
  int square = threadIdx.x * threadIdx.x;
  barrier.wait(cta, cuda::memory_order_acquire);
  out[threadIdx.x] = square + static_cast<int*>(ncclGetLocalPointer(window, 0))[threadIdx.x];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window window(ranks.comm, kCount * sizeof(int));
  int* out;
  CHECK(cudaMalloc(&out, kCount * sizeof(int)));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  shift_and_square<<<1, kCount>>>(dev_comm, window.handle, out);
  std::vector<int> got = download(out, kCount);
  long wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != i * i + (1 - ranks.rank) * 10 + i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(out));
  return ranks.verdict(wrong);
}
