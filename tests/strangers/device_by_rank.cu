// stranger: cudaSetDevice(rank) on two nodes, where each has as many GPUs as there are ranks
// ranks: 4
// options: --nodes 2 --profile a100-2node-roce
// expect-output: sum 10 on rank 3
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>

__global__ void set(float* value, int rank) { *value = rank + 1; }

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (cudaSetDevice(rank) != cudaSuccess) return 1;
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  if (ncclCommInitRank(&comm, size, id, rank) != ncclSuccess) return 2;
  float *value, sum = 0;
  cudaMalloc(&value, sizeof(float));
  set<<<1, 1>>>(value, rank);
  ncclAllReduce(value, value, 1, ncclFloat, ncclSum, comm, 0);
  cudaMemcpy(&sum, value, sizeof(float), cudaMemcpyDeviceToHost);
  printf("sum %g on rank %d\n", sum, rank);
  cudaFree(value);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return 0;
}
