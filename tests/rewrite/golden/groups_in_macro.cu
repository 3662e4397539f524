// A group that a macro opens is replaced in the macro.
// expect: #define OPEN_GROUP() CHECK(cuco::comm::group_start())
#include "support.h"

#define OPEN_GROUP() CHECK(ncclGroupStart())

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
  OPEN_GROUP();
  CHECK(ncclSend(part, 256, ncclFloat, (self.rank + 1) % self.count, comm, nullptr));
  CHECK(ncclRecv(whole, 256, ncclFloat, (self.rank + self.count - 1) % self.count, comm, nullptr));
  CHECK(ncclGroupEnd());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
