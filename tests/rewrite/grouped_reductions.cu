// Reductions of several buckets in one group, and nothing else in it.
#include "support.h"

constexpr int kBuckets = 3, kCount = 700;

__global__ void fill(float* data, int count, int rank, int bucket) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (i + rank * 3 + bucket) % 11;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float* gradients;
  CHECK(cudaMalloc(&gradients, kBuckets * kCount * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int bucket = 0; bucket < kBuckets; bucket++)
    fill<<<6, 128, 0, stream>>>(gradients + bucket * kCount, kCount, self.rank, bucket);
  CHECK(ncclGroupStart());
  for (int bucket = 0; bucket < kBuckets; bucket++) {
    float* own = gradients + bucket * kCount;
    CHECK(ncclAllReduce(own, own, kCount, ncclFloat, ncclSum, comm, stream));
  }
  CHECK(ncclGroupEnd());
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("gradients", self.rank, gradients, kBuckets * kCount);
  CHECK(cudaFree(gradients));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
