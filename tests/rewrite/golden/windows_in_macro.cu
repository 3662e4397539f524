// An allocation in the body of a macro is changed there.
// expect: #define MAKE(pointer, count) CHECK(cuco::comm::allocate(&(pointer), (count) * sizeof(float)))
// expect: CHECK(cuco::comm::release(part));
#include "support.h"

#define MAKE(pointer, count) CHECK(cudaMalloc(&(pointer), (count) * sizeof(float)))

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *part, *whole;
  MAKE(part, 256);
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
