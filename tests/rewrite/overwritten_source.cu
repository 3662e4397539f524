// Even ranks send the same small buffer again and again and write it anew right after each call; odd ranks receive each
// message into another place and look at all of them in the end. There are more messages than two ranks can have open.
#include "support.h"

constexpr int kCount = 700, kMessages = 21;

__global__ void write(int* source, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) source[i] = i * 13 + seed;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  int *source, *places;
  CHECK(cudaMalloc(&source, kCount * sizeof(int)));
  CHECK(cudaMalloc(&places, kMessages * kCount * sizeof(int)));
  CHECK(cudaMemset(places, 0, kMessages * kCount * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaDeviceSynchronize());
  write<<<6, 128, 0, stream>>>(source, self.rank);
  for (int message = 0; message < kMessages; message++) {
    if (self.rank % 2 == 0) {
      CHECK(ncclSend(source, kCount, ncclInt, self.rank + 1, comm, stream));
      write<<<6, 128, 0, stream>>>(source, self.rank + 100 * message);
    } else {
      CHECK(ncclRecv(places + message * kCount, kCount, ncclInt, self.rank - 1, comm, stream));
    }
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("places", self.rank, places, kMessages * kCount);
  CHECK(cudaFree(source));
  CHECK(cudaFree(places));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
