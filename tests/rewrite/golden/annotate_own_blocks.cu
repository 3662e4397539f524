// Whoever has marked what may evolve has decided it: these blocks stay, and none is added inside, around or beside them.
// expect: // EVOLVE-BLOCK-START
// expect: __global__ void fill(float* data, float value)
// expect: // EVOLVE-BLOCK-END
// expect: void gather(float* part
// expect: // EVOLVE-BLOCK-START
// expect: cuco::comm::all_gather(
// expect: // EVOLVE-BLOCK-END
// expect: int main(int argc
// expect-count: 2 // EVOLVE-BLOCK-START
// expect-count: 2 // EVOLVE-BLOCK-END
// expect-not: comm_options
#include "support.h"

__global__ void raise(float* data) { data[threadIdx.x] += 1; }

// EVOLVE-BLOCK-START
__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }
// EVOLVE-BLOCK-END

void gather(float* part, float* whole, int rank, ncclComm_t comm) {
  // EVOLVE-BLOCK-START
  fill<<<1, 256>>>(part, rank);
  raise<<<1, 256>>>(part);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  // EVOLVE-BLOCK-END
}

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
  gather(part, whole, self.rank, comm);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
