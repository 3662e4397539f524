// A kernel that writes memory which no exchange tells of keeps its place: what else touches that memory is not told.
// plan: s1 lsa/stream/flag/cta/whole
// plan: schedule streams=1 order=side-by-side
// expect: cuco::comm::before(stream, {cuco::comm::writes_at(part)});\n    fill<<<1, 256, 0, stream>>>(table, part);
// expect-not: cuco::comm::side_stream
// expect-not: streams_beside
#include "support.h"

__global__ void fill(float* table, float* data) { data[threadIdx.x] = table[threadIdx.x] += threadIdx.x; }

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
    fill<<<1, 256, 0, stream>>>(table, part);
    CHECK(ncclAllGather(part, whole + half * 256 * self.count, 256, ncclFloat, comm, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(table));
  CHECK(cudaFree(parts));
  CHECK(cudaFree(whole));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
