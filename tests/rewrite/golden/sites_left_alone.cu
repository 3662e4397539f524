// A reduction that only NCCL can compute is no rule's.
// plan: s1 lsa/deferred/barrier/cta/whole
// expect-error: its reduction `scaled` is not one of NCCL's own
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
  float factor = 0.5f;
  ncclRedOp_t scaled;
  CHECK(ncclRedOpCreatePreMulSum(&scaled, &factor, ncclFloat, ncclScalarHostImmediate, comm));
  fill<<<1, 256>>>(part, self.rank);
  CHECK(ncclAllReduce(part, whole, 256, ncclFloat, scaled, comm, nullptr));
  CHECK(ncclRedOpDestroy(scaled, comm));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(ncclCommDestroy(comm));
}
