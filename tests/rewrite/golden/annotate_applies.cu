// Kernels of the region and functions that launch and communicate in it may evolve.
// expect: // EVOLVE-BLOCK-START
// expect: constexpr cuco::comm::Options comm_options = cuco::comm::Options();
// expect: // EVOLVE-BLOCK-END
// expect: // EVOLVE-BLOCK-START
// expect: __global__ void fill(float* data, float value)
// expect: void gather(float* part
// expect: // EVOLVE-BLOCK-END
// expect: int main(int argc
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

void gather(float* part, float* whole, int rank, ncclComm_t comm) {
  fill<<<1, 256>>>(part, rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
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
