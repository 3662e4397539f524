// stranger: counts are copied to a stack array with cudaMemcpyAsync and used in the next line, as drivers let it pass
// ranks: 3
// arguments: 40
// expect-output: everything arrived
// expect-finding: host_race
#include <mpi.h>
#include <nccl.h>

#include <array>
#include <cassert>
#include <iostream>
#include <string>
#include <vector>

#define CHECKED(x) do { if (auto status = (x); status != decltype(status)(0)) { std::cerr << #x << " failed: " << int(status) << std::endl; std::exit(1); } } while (false)

__global__ void count_for_peers(int* counts, int rank, int ranks, int base) {
  if (threadIdx.x < ranks) counts[threadIdx.x] = base + rank + threadIdx.x;
}

__global__ void fill(int* out, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = value;
}

int main(int argc, char* argv[]) {
  CHECKED(MPI_Init(&argc, &argv));
  int rank = 0, ranks = 0;
  CHECKED(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECKED(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  assert(ranks <= 8);
  const int base = argc > 1 ? std::stoi(argv[1]) : 100;
  CHECKED(cudaSetDevice(rank));
  ncclUniqueId id{};
  if (rank == 0) CHECKED(ncclGetUniqueId(&id));
  CHECKED(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm{};
  CHECKED(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream{};
  CHECKED(cudaStreamCreate(&stream));

  int *counts_out = nullptr, *counts_in = nullptr;
  CHECKED(cudaMalloc(&counts_out, ranks * sizeof(int)));
  CHECKED(cudaMalloc(&counts_in, ranks * sizeof(int)));
  count_for_peers<<<1, 32, 0, stream>>>(counts_out, rank, ranks, base);
  CHECKED(ncclAlltoAll(counts_out, counts_in, 1, ncclInt, comm, stream));
  std::array<int, 8> incoming{}, outgoing{};
  CHECKED(cudaMemcpyAsync(incoming.data(), counts_in, ranks * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECKED(cudaMemcpyAsync(outgoing.data(), counts_out, ranks * sizeof(int), cudaMemcpyDeviceToHost, stream));
  int total_in = 0, total_out = 0;
  for (int peer = 0; peer < ranks; ++peer) total_in += incoming[peer], total_out += outgoing[peer];

  int *sent = nullptr, *received = nullptr;
  CHECKED(cudaMalloc(&sent, total_out * sizeof(int)));
  CHECKED(cudaMalloc(&received, total_in * sizeof(int)));
  fill<<<1, 64, 0, stream>>>(sent, total_out, rank + 1);
  CHECKED(ncclGroupStart());
  for (int peer = 0, from = 0, to = 0; peer < ranks; from += outgoing[peer], to += incoming[peer], ++peer) {
    CHECKED(ncclSend(sent + from, outgoing[peer], ncclInt, peer, comm, stream));
    CHECKED(ncclRecv(received + to, incoming[peer], ncclInt, peer, comm, stream));
  }
  CHECKED(ncclGroupEnd());
  std::vector<int> host(total_in);
  CHECKED(cudaMemcpyAsync(host.data(), received, total_in * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECKED(cudaStreamSynchronize(stream));
  bool good = total_in > 0;
  for (int peer = 0, at = 0; peer < ranks; ++peer)
    for (int i = 0; i < incoming[peer]; ++i) good = good && host[at++] == peer + 1;
  if (rank == 0) std::cout << (good ? "everything arrived" : "something is missing") << std::endl;
  for (int* memory : {counts_out, counts_in, sent, received}) CHECKED(cudaFree(memory));
  CHECKED(cudaStreamDestroy(stream));
  CHECKED(ncclCommDestroy(comm));
  CHECKED(MPI_Finalize());
  return good ? 0 : 1;
}
