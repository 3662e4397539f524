// Products on one stream, communication on another, joined by events as a careful program does it; what was gathered is
// reduced and copied back by a call that blocks.
#include "support.h"

constexpr int kCount = 2048;

__global__ void produce(float* part, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) part[i] = (i % 17) * 0.25f + seed;
}
__global__ void consume(const float* whole, float* sum, int ranks) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int rank = 0; i < kCount && rank < ranks; rank++) sum[i] += whole[rank * kCount + i];
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *part, *whole, *sum;
  CHECK(cudaMalloc(&part, kCount * sizeof(float)));
  CHECK(cudaMalloc(&whole, kCount * self.count * sizeof(float)));
  CHECK(cudaMalloc(&sum, kCount * sizeof(float)));
  CHECK(cudaMemset(sum, 0, kCount * sizeof(float)));
  cudaStream_t compute, communicate;
  CHECK(cudaStreamCreate(&compute));
  CHECK(cudaStreamCreate(&communicate));
  cudaEvent_t produced, gathered;
  CHECK(cudaEventCreate(&produced));
  CHECK(cudaEventCreate(&gathered));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 4; round++) {
    produce<<<16, 128, 0, compute>>>(part, self.rank + round);
    CHECK(cudaEventRecord(produced, compute));
    CHECK(cudaStreamWaitEvent(communicate, produced, 0));
    CHECK(ncclAllGather(part, whole, kCount, ncclFloat, comm, communicate));
    CHECK(cudaEventRecord(gathered, communicate));
    CHECK(cudaStreamWaitEvent(compute, gathered, 0));
    consume<<<16, 128, 0, compute>>>(whole, sum, self.count);
    CHECK(ncclAllReduce(sum, sum, kCount, ncclFloat, ncclMax, comm, compute));
  }
  print_fingerprint("sum", self.rank, sum, kCount);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(sum));
  CHECK(cudaEventDestroy(produced));
  CHECK(cudaEventDestroy(gathered));
  CHECK(cudaStreamDestroy(compute));
  CHECK(cudaStreamDestroy(communicate));
  CHECK(ncclCommDestroy(comm));
}
