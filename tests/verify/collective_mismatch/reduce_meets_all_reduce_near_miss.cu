// Off the root the receive buffer of ncclReduce is null, which the API allows.
// ranks: 3
// expect: no findings
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 80;

struct Worker {
  ncclComm_t comm;
  long *partial, *total;

  void collect(int rank) {
    if (rank == 0) {
      ncclReduce(partial, total, kCount, ncclInt64, ncclSum, 0, comm, nullptr);
    } else {
      ncclReduce(partial, nullptr, kCount, ncclInt64, ncclSum, 0, comm, nullptr);
    }
  }
};

int wrong_totals(const Worker& worker, int ranks) {
  std::vector<long> host(kCount);
  cudaMemcpy(host.data(), worker.total, kCount * sizeof(long), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != static_cast<long>(ranks) * i;
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
  Worker worker;
  ncclCommInitRank(&worker.comm, ranks, id, rank);
  cudaMalloc(&worker.partial, kCount * sizeof(long));
  cudaMalloc(&worker.total, kCount * sizeof(long));
  std::vector<long> host(kCount);
  for (int i = 0; i < kCount; i++) host[i] = i;
  cudaMemcpy(worker.partial, host.data(), kCount * sizeof(long), cudaMemcpyHostToDevice);
  worker.collect(rank);
  cudaDeviceSynchronize();
  int wrong = rank == 0 ? wrong_totals(worker, ranks) : 0;
  std::printf("rank %d: %d wrong\n", rank, wrong);
  cudaFree(worker.total);
  cudaFree(worker.partial);
  ncclCommDestroy(worker.comm);
  MPI_Finalize();
  return wrong != 0;
}
