// A kernel that a macro writes has no lines of its own to put markers around.
// expect: // EVOLVE-BLOCK-START
// expect: // EVOLVE-BLOCK-END
// expect: FILL_KERNEL(fill)
// expect-count: 1 // EVOLVE-BLOCK-START
#include "support.h"

#define FILL_KERNEL(name) \
  __global__ void name(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

FILL_KERNEL(fill)

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *part, *whole;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
