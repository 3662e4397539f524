// A call keeps its arguments and its place; a kernel named after the site stands for it.
// expect: #include <cuco/comm/collectives.cuh>
// expect: #include <cuco/comm/reduce.cuh>
// expect: CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>, part, whole, 256, ncclFloat, comm, nullptr));
// expect: CHECK(cuco::comm::all_reduce(cuco::comm::lsa<2>.sum<float>(), part, part, 256, ncclFloat, ncclSum, comm, nullptr));
// expect-not: (ncclAllGather(
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
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  CHECK(ncclAllReduce(part, part, 256, ncclFloat, ncclSum, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
