// Every rank sends every other another number of elements, none to some; counts and displacements lie in host arrays.
#include "support.h"

__global__ void produce(float* data, int count, int rank, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (float)(rank * 1000 + i % 97 + round);
}

int count_between(int from, int to, int round) { return (from * 37 + to * 11 + round * 5) % 4 * 129; }

struct Route {
  std::vector<int> send_counts, send_begins, receive_counts, receive_begins;
  int sent = 0, received = 0;
  Route(int rank, int ranks, int round) {
    for (int peer = 0; peer < ranks; peer++) {
      send_begins.push_back(sent);
      send_counts.push_back(count_between(rank, peer, round));
      sent += send_counts.back();
      receive_begins.push_back(received);
      receive_counts.push_back(count_between(peer, rank, round));
      received += receive_counts.back();
    }
  }
};

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *send = nullptr, *receive = nullptr;
  size_t capacity = 3 * 129 * (size_t)self.count;
  for (float** buffer : {&send, &receive}) CHECK(cudaMalloc(buffer, capacity * sizeof(float)));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, stream));
  for (int round = 0; round < 4; round++) {
    Route route(self.rank, self.count, round);
    CHECK(cudaMemsetAsync(receive, 0, capacity * sizeof(float), stream));
    produce<<<(route.sent + 127) / 128 + 1, 128, 0, stream>>>(send, route.sent, self.rank, round);
    CHECK(ncclGroupStart());
    for (int peer = 0; peer < self.count; peer++) {
      if (route.send_counts[peer] > 0)
        CHECK(ncclSend(send + route.send_begins[peer], route.send_counts[peer], ncclFloat, peer, comm, stream));
      if (route.receive_counts[peer] > 0)
        CHECK(ncclRecv(receive + route.receive_begins[peer], route.receive_counts[peer], ncclFloat, peer, comm, stream));
    }
    CHECK(ncclGroupEnd());
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("received", self.rank, receive, capacity);
  }
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  for (float* buffer : {send, receive}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(ncclCommDestroy(comm));
}
