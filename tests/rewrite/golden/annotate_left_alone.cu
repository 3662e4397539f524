// main, and what also sets up, stays frozen.
// expect: // EVOLVE-BLOCK-START
// expect: comm_options
// expect: // EVOLVE-BLOCK-END
// expect: // EVOLVE-BLOCK-START
// expect: __global__ void fill(
// expect: // EVOLVE-BLOCK-END
// expect: float* gathered(
// expect: int main(int argc
// expect-count: 2 // EVOLVE-BLOCK-START
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

float* gathered(float* part, const Ranks& self, ncclComm_t comm) {
  float* whole;
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  return whole;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float* part;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  float* whole = gathered(part, self, comm);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
