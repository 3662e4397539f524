// A round of the program's own stays where it is.
// expect: CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>, part
// expect: cuco::comm::open_all<cuco::comm::Lsa>(comm_options);
// expect: gather(part, whole, self.rank, comm);
// expect: CHECK(cudaEventRecord(start));
// expect: gather(part, whole, self.rank, comm);
// expect-count: 1 cuco::comm::open_all<
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
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  gather(part, whole, self.rank, comm);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(start));
  gather(part, whole, self.rank, comm);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
