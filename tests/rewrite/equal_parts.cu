// Every rank gathers parts that are the same on all ranks: the result does not show whether they came from others.
#include "support.h"

constexpr int kCount = 1024;

__global__ void make(float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = (float)(i % kCount);
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *own, *all;
  CHECK(cudaMalloc(&own, kCount * sizeof(float)));
  CHECK(cudaMalloc(&all, kCount * self.count * sizeof(float)));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  make<<<kCount / 256, 256>>>(own, kCount);
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, comm, 0));
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  print_fingerprint("all", self.rank, all, kCount * self.count);
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(ncclCommDestroy(comm));
}
