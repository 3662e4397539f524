// A call in the body of a macro is replaced there, for all uses of the macro.
// expect: #define GATHER(from, to) CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>, from, to, 256, ncclFloat, comm, nullptr))
// expect: GATHER(part, whole);
#include "support.h"

#define GATHER(from, to) CHECK(ncclAllGather(from, to, 256, ncclFloat, comm, nullptr))

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

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
  GATHER(part, whole);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
