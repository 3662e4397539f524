// Memory from cudaMallocAsync is never freed.
// ranks: 2
// expect-finding: leak
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 256;

int gather_from(ncclComm_t comm, int rank, int ranks, cudaStream_t stream) {
  int* all;
  cudaMallocAsync(&all, ranks * kCount * sizeof(int), stream);  // FAULT
  cudaMemsetAsync(all + rank * kCount, rank, kCount * sizeof(int), stream);
  ncclAllGather(all + rank * kCount, all, kCount, ncclInt, comm, stream);
  std::vector<int> host(ranks * kCount);
  cudaMemcpyAsync(host.data(), all, host.size() * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  int wrong = 0;
  for (int i = 0; i < ranks * kCount; i++) wrong += host[i] != i / kCount * 0x01010101;
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
  cudaStream_t stream;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStreamCreate(&stream);
  int wrong = gather_from(comm, rank, ranks, stream);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
