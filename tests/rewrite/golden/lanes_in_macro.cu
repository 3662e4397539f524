// A call in the body of a macro is replaced there, whatever its placement.
// plan: s1 lsa/stream/flag/cta/whole
// plan: schedule streams=1
// expect: #define GATHER() CHECK(cuco::comm::all_gather(cuco::comm::lsa<1>.on_stream(0)
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }
__global__ void add(const float* data, float* sum) { sum[threadIdx.x] += data[threadIdx.x]; }
#define GATHER() CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, stream))

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
    GATHER();
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(sum));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
