// Send and receive counts differ on each rank, and each receive asks for what its sender announced.
// ranks: 3
// expect: no findings
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kMost = 64;

int tokens_from(int source, int target) { return 8 * (1 + (2 * source + target) % 3); }

struct Counts {
  std::vector<int> sent, received;
};

Counts agree_on_counts(int rank, int ranks) {
  Counts counts{std::vector<int>(ranks), std::vector<int>(ranks)};
  for (int peer = 0; peer < ranks; peer++) counts.sent[peer] = tokens_from(rank, peer);
  MPI_Alltoall(counts.sent.data(), 1, MPI_INT, counts.received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return counts;
}

void exchange(const float* out, float* in, const Counts& counts, ncclComm_t comm, cudaStream_t stream) {
  ncclGroupStart();
  for (int peer = 0; peer < static_cast<int>(counts.sent.size()); peer++) {
    ncclSend(out + peer * kMost, counts.sent[peer], ncclFloat, peer, comm, stream);
    ncclRecv(in + peer * kMost, counts.received[peer], ncclFloat, peer, comm, stream);
  }
  ncclGroupEnd();
}

int wrong_tokens(const float* in, int rank, int ranks) {
  int wrong = 0;
  for (int source = 0; source < ranks; source++) {
    std::vector<float> host(tokens_from(source, rank));
    cudaMemcpy(host.data(), in + source * kMost, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : host) wrong += value != source + 1.0f;
  }
  return wrong;
}

int run(int rank, int ranks, ncclComm_t comm) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  std::vector<float> host(ranks * kMost, rank + 1.0f);
  float *out, *in;
  cudaMalloc(&out, host.size() * sizeof(float));
  cudaMalloc(&in, host.size() * sizeof(float));
  cudaMemcpy(out, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(in, 0, host.size() * sizeof(float));
  exchange(out, in, agree_on_counts(rank, ranks), comm, stream);
  cudaStreamSynchronize(stream);
  int wrong = wrong_tokens(in, rank, ranks);
  cudaFree(in);
  cudaFree(out);
  cudaStreamDestroy(stream);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int wrong = run(rank, ranks, comm);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
