// The communicator is given up by ncclCommAbort, which releases it as ncclCommDestroy does.
// ranks: 2
// expect: no findings
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 64;

int sum_over(ncclComm_t comm, int rank, int ranks) {
  int* values;
  cudaMalloc(&values, kCount * sizeof(int));
  std::vector<int> host(kCount, rank + 1);
  cudaMemcpy(values, host.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  ncclAllReduce(values, values, kCount, ncclInt, ncclSum, comm, nullptr);
  cudaMemcpy(host.data(), values, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(values);
  int wrong = 0;
  for (int value : host) wrong += value != ranks * (ranks + 1) / 2;
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
  int wrong = sum_over(comm, rank, ranks);
  ncclCommAbort(comm);
  std::printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
