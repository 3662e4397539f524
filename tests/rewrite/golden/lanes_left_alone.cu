// A plan without streams has none of this in its program.
// plan: s1 lsa/deferred/barrier/cta/whole
// expect: cuco::comm::all_gather(cuco::comm::lsa<1>, part,
// expect-not: overlap
// expect-not: wait_all
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }
__global__ void add(const float* data, float* sum) { sum[threadIdx.x] += data[threadIdx.x]; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *part, *whole, *sum;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  CHECK(cudaMalloc(&sum, 256 * sizeof(float)));
  for (int round = 0; round < 3; round++) {
    fill<<<1, 256, 0, stream>>>(part, round);
    CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(sum));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
