// Every rank meets every peer by each path of the plan before the program goes on.
// backend: gin
// expect: }\n  cuco::comm::open_all<cuco::comm::Gin>(comm_options);\n
// expect: fill<<<1, 256>>>(part, self.rank);
// expect-not: cuco::comm::Lsa
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
  for (float** each : {&part, &whole}) {
    size_t bytes = 256 * sizeof(float) * (each == &whole ? self.count : 1);
    CHECK(cudaMalloc(each, bytes));
  }
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
