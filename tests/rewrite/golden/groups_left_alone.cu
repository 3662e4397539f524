// A group around communicators that are made is none of communication.
// expect: CHECK(ncclGroupStart());
// expect: CHECK(cuco::comm::created_in_group(ncclCommInitRank(&comm, self.count, id, self.rank), &comm));
// expect: CHECK(cuco::comm::created(ncclGroupEnd()));
// expect: CHECK(cuco::comm::all_gather(
// expect-not: CHECK(cuco::comm::group_start());
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclGroupStart());
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  CHECK(ncclGroupEnd());
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
