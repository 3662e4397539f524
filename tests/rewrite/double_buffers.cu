// Blocks travel around a ring in two buffers that take turns, unseen by the work on the block at hand. Two rounds are
// timed with events, and the sum of a second kernel that needs no block runs in between.
#include "support.h"

constexpr int kCount = 5000;

__global__ void start_with(int* block, int* sum, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) block[i] = i * 3 + seed, sum[i] = 0;
}
__global__ void absorb(const int* block, int* sum, int weight) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) sum[i] = sum[i] * 5 + block[i] * weight;
}
__global__ void stir(int* own) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) own[i] = own[i] * 7 + i;
}

void rotate(int* held, int* buffers, int* sum, int* own, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  const int blocks = (kCount + 127) / 128;
  for (int step = 0; step < self.count; step++) {
    absorb<<<blocks, 128, 0, stream>>>(held, sum, step + 1);
    if (step + 1 == self.count) break;
    int* incoming = buffers + step % 2 * kCount;
    CHECK(ncclGroupStart());
    CHECK(ncclSend(held, kCount, ncclInt, (self.rank + 1) % self.count, comm, stream));
    CHECK(ncclRecv(incoming, kCount, ncclInt, (self.rank + self.count - 1) % self.count, comm, stream));
    CHECK(ncclGroupEnd());
    stir<<<blocks, 128, 0, stream>>>(own);
    held = incoming;
  }
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  int *block, *buffers, *sum, *own;
  CHECK(cudaMalloc(&block, kCount * sizeof(int)));
  CHECK(cudaMalloc(&buffers, 2 * kCount * sizeof(int)));
  CHECK(cudaMalloc(&sum, kCount * sizeof(int)));
  CHECK(cudaMalloc(&own, kCount * sizeof(int)));
  CHECK(cudaMemset(own, 0, kCount * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 2; round++) {
    start_with<<<(kCount + 127) / 128, 128, 0, stream>>>(block, sum, self.rank * 11 + round);
    CHECK(cudaEventRecord(begin, stream));
    rotate(block, buffers, sum, own, self, comm, stream);
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    print_fingerprint("sum", self.rank, sum, kCount);
  }
  float ms;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  print_fingerprint("own", self.rank, own, kCount);
  CHECK(cudaFree(block));
  CHECK(cudaFree(buffers));
  CHECK(cudaFree(sum));
  CHECK(cudaFree(own));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
