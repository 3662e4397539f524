// One statement frees windows and buffers that are not communicated, windows in later rounds than reading follows.
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }
__global__ void scale(const float* from, float* to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *part, *whole, *scaled, *spare[2];
  CHECK(cudaMalloc(&part, 64 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 64 * sizeof(float) * self.count));
  CHECK(cudaMalloc(&scaled, 64 * sizeof(float)));
  for (float*& each : spare) CHECK(cudaMalloc(&each, 64 * sizeof(float)));
  fill<<<1, 64, 0, stream>>>(part, self.rank);
  CHECK(ncclAllGather(part, whole, 64, ncclFloat, comm, stream));
  scale<<<1, 64, 0, stream>>>(whole + 64, scaled);
  CHECK(cudaStreamSynchronize(stream));
  float first[2];
  CHECK(cudaMemcpy(first, scaled, sizeof(first), cudaMemcpyDeviceToHost));
  std::printf("rank %d: %g %g\n", self.rank, first[0], first[1]);
  for (float* buffer : {scaled, spare[0], spare[1], part, whole}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
