// stranger: written for a launcher that shows each rank one GPU: nobody chooses a device, and no result is looked at
// ranks: 4
// expect-output: ranks chose the same GPU
// expect-output: rank 3: 15
// convert: lsa
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  int mine = 1 << rank, sum = 0, *value, *total;
  cudaMalloc(&value, sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(value, &mine, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(int));
  ncclComm_t comm;
  ncclCommInitRank(&comm, size, id, rank);
  ncclAllReduce(value, total, 1, ncclInt, ncclSum, comm, 0);
  cudaMemcpy(&sum, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("rank %d: %d\n", rank, sum);
  ncclCommDestroy(comm);
  cudaFree(value);
  cudaFree(total);
  MPI_Finalize();
  return 0;
}
