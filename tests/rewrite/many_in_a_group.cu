// More messages between two ranks in one group than are open at a time: chunks around a ring, both ways, and to itself.
#include "support.h"

constexpr int kChunks = 19, kCount = 40;

__global__ void fill(int* data, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = i * 7 + rank;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  int *from, *to;
  CHECK(cudaMalloc(&from, kChunks * kCount * sizeof(int)));
  CHECK(cudaMalloc(&to, 3 * kChunks * kCount * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int next = (self.rank + 1) % self.count, before = (self.rank + self.count - 1) % self.count;
  fill<<<8, 128, 0, stream>>>(from, kChunks * kCount, self.rank);
  CHECK(ncclGroupStart());
  for (int chunk = 0; chunk < kChunks; chunk++) {
    int at = chunk * kCount;
    CHECK(ncclSend(from + at, kCount, ncclInt, next, comm, stream));
    CHECK(ncclRecv(to + at, kCount, ncclInt, before, comm, stream));
    CHECK(ncclSend(from + at, kCount, ncclInt, before, comm, stream));
    CHECK(ncclRecv(to + kChunks * kCount + at, kCount, ncclInt, next, comm, stream));
    CHECK(ncclSend(from + at, kCount, ncclInt, self.rank, comm, stream));
    CHECK(ncclRecv(to + 2 * kChunks * kCount + at, kCount, ncclInt, self.rank, comm, stream));
  }
  CHECK(ncclGroupEnd());
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("chunks", self.rank, to, 3 * kChunks * kCount);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
