// A buffer that no site sends or receives stays as it is.
// expect: CHECK(cuco::comm::allocate(&part, 256 * sizeof(float)));
// expect: CHECK(cudaMalloc(&scratch, 1024 * sizeof(float)));
// expect: CHECK(cudaFree(scratch));
// expect-not: cuco::comm::allocate(&scratch
// expect-not: cuco::comm::release(scratch
#include "support.h"

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
  float* scratch;
  CHECK(cudaMalloc(&scratch, 1024 * sizeof(float)));
  fill<<<1, 256>>>(scratch, 0);
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(scratch));
  CHECK(ncclCommDestroy(comm));
}
