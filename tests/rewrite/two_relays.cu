// Rank 0 makes two arrays and sends each to rank 1, which adds to them. Sends and receives stand alone, on one
// communicator. In FORM 1 one array is sent, and send and receive each are in a group that every rank enters.
#include "support.h"

#ifndef FORM
#define FORM 0
#endif

constexpr int kCount = 2048;

__global__ void make(int* out, int from) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = from + at * 3;
}
__global__ void add(int* values, int much) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  values[at] += much;
}

#if FORM == 1
void relay(int* first, int* second, int rank, ncclComm_t comm, cudaStream_t stream) {
  make<<<kCount / 64, 64, 0, stream>>>(first, 5 + rank);
  CHECK(ncclGroupStart());
  if (rank == 0) CHECK(ncclSend(first, kCount, ncclInt, 1, comm, stream));
  CHECK(ncclGroupEnd());
  CHECK(cudaMemsetAsync(second, 0, kCount * sizeof(int), stream));
  CHECK(ncclGroupStart());
  if (rank == 1) CHECK(ncclRecv(second, kCount, ncclInt, 0, comm, stream));
  CHECK(ncclGroupEnd());
  add<<<kCount / 64, 64, 0, stream>>>(second, 7);
}
#else
void relay(int* first, int* second, int rank, ncclComm_t comm, cudaStream_t stream) {
  if (rank == 0) {
    make<<<kCount / 64, 64, 0, stream>>>(first, 5);
    CHECK(ncclSend(first, kCount, ncclInt, 1, comm, stream));
    make<<<kCount / 64, 64, 0, stream>>>(second, 9);
    CHECK(ncclSend(second, kCount, ncclInt, 1, comm, stream));
  } else {
    CHECK(ncclRecv(first, kCount, ncclInt, 0, comm, stream));
    add<<<kCount / 64, 64, 0, stream>>>(first, 1);
    CHECK(ncclRecv(second, kCount, ncclInt, 0, comm, stream));
    add<<<kCount / 64, 64, 0, stream>>>(second, 2);
  }
}
#endif

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *first = nullptr, *second = nullptr;
  CHECK(cudaMalloc(&first, kCount * sizeof(int)));
  CHECK(cudaMalloc(&second, kCount * sizeof(int)));
  relay(first, second, self.rank, comm, stream);
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("first", self.rank, first, kCount);
  print_fingerprint("second", self.rank, second, kCount);
  CHECK(cudaFree(first));
  CHECK(cudaFree(second));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
