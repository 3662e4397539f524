// A call in a header is replaced there; the file that includes it has the set-up.
// expect: cuco::comm::open_all<cuco::comm::Lsa>(
// expect-not: all_gather
#include "golden/headers/gather.h"

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
  gather(part, whole, comm);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
