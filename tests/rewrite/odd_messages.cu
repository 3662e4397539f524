// Messages of odd numbers of bytes, at odd places, some of them empty; every rank also sends to itself in some rounds.
#include "support.h"

__global__ void produce(unsigned char* data, int count, int rank, int round) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    data[i] = (unsigned char)(rank * 31 + i * 7 + round);
}

constexpr int kLargest = 4099;

int bytes_between(int from, int to, int round) {
  const int sizes[] = {0, 1, 15, 16, 17, 511, kLargest};
  return sizes[(from * 3 + to * 5 + round) % 7];
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  unsigned char *send = nullptr, *receive = nullptr;
  int capacity = kLargest * self.count;
  for (unsigned char** buffer : {&send, &receive}) CHECK(cudaMalloc(buffer, capacity));

  for (int round = 0; round < 10; round++) {
    CHECK(cudaMemsetAsync(receive, 0, capacity, stream));
    produce<<<4, 128, 0, stream>>>(send, capacity, self.rank, round);
    CHECK(ncclGroupStart());
    for (int peer = 0; peer < self.count; peer++) {
      if (peer == self.rank && round % 2 == 1) continue;
      CHECK(ncclSend(send + peer * kLargest, bytes_between(self.rank, peer, round), ncclUint8, peer, comm, stream));
      CHECK(ncclRecv(receive + peer * kLargest, bytes_between(peer, self.rank, round), ncclUint8, peer, comm, stream));
    }
    CHECK(ncclGroupEnd());
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("received", self.rank, receive, capacity);
  }
  for (unsigned char* buffer : {send, receive}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
