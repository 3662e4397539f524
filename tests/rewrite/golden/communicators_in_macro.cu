// A communicator that is made in the body of a macro is remembered there.
// expect: #define JOIN(comm) CHECK(cuco::comm::created(ncclCommInitRank(&(comm), self.count, id, self.rank), &(comm)))
#include "support.h"

#define JOIN(comm) CHECK(ncclCommInitRank(&(comm), self.count, id, self.rank))

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  JOIN(comm);
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
