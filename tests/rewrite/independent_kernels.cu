// Layers of two products that depend on nothing but a table, sent around in buffers that take turns; a kernel then
// mixes what came into the next layer's blocks, which others already wait to be written again.
#include "support.h"

constexpr int kCount = 3000, kLayers = 6;

__global__ void set_table(int* table, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) table[i] = i * 5 + seed;
}
__global__ void produce(const int* table, int* block, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) block[i] = table[i] * factor + i;
}
__global__ void mix(const int* got, int* kept) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) kept[i] = kept[i] * 3 + got[i];
}

void layer(const int* table, int* blocks, int* got, int number, const Ranks& self, ncclComm_t comm,
           cudaStream_t stream) {
  int *first = blocks + number % 2 * 2 * kCount, *second = first + kCount;
  int next = (self.rank + 1) % self.count, previous = (self.rank + self.count - 1) % self.count;
  produce<<<24, 128, 0, stream>>>(table, first, number + 2);
  produce<<<24, 128, 0, stream>>>(table, second, number + 3);
  CHECK(ncclGroupStart());
  CHECK(ncclSend(first, kCount, ncclInt, next, comm, stream));
  CHECK(ncclSend(second, kCount, ncclInt, next, comm, stream));
  CHECK(ncclRecv(got, kCount, ncclInt, previous, comm, stream));
  CHECK(ncclRecv(got + kCount, kCount, ncclInt, previous, comm, stream));
  CHECK(ncclGroupEnd());
  mix<<<24, 128, 0, stream>>>(got, got + 2 * kCount);
  mix<<<24, 128, 0, stream>>>(got + kCount, got + 3 * kCount);
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  int *table, *blocks, *got;
  CHECK(cudaMalloc(&table, kCount * sizeof(int)));
  CHECK(cudaMalloc(&blocks, 4 * kCount * sizeof(int)));
  CHECK(cudaMalloc(&got, 4 * kCount * sizeof(int)));
  CHECK(cudaMemset(got, 0, 4 * kCount * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  set_table<<<24, 128, 0, stream>>>(table, self.rank);
  CHECK(cudaDeviceSynchronize());
  for (int number = 0; number < kLayers; number++) layer(table, blocks, got, number, self, comm, stream);
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("got", self.rank, got, 4 * kCount);
  CHECK(cudaFree(table));
  CHECK(cudaFree(blocks));
  CHECK(cudaFree(got));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
