// A launch that comes out of a macro keeps its place.
// plan: s1 lsa/stream/flag/cta/whole
// plan: schedule streams=1 order=side-by-side
// expect: cuco::comm::wait_all(), cuco::comm::untracked();\n    FILL(part);
// expect-not: cuco::comm::side_stream(stream
#include "support.h"

__global__ void fill(const float* table, float* data) { data[threadIdx.x] = table[threadIdx.x] + threadIdx.x; }
#define FILL(data) fill<<<1, 256, 0, stream>>>(table, data)

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *table, *parts, *whole;
  CHECK(cudaMalloc(&table, 256 * sizeof(float)));
  CHECK(cudaMalloc(&parts, 2 * 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 2 * 256 * sizeof(float) * self.count));
  CHECK(cudaMemset(table, 0, 256 * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  for (int half = 0; half < 2; half++) {
    float* part = parts + half * 256;
    FILL(part);
    CHECK(ncclAllGather(part, whole + half * 256 * self.count, 256, ncclFloat, comm, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(table));
  CHECK(cudaFree(parts));
  CHECK(cudaFree(whole));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
