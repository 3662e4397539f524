// stranger: every rank forgets to choose a device, and NCCL refuses the second one
// ranks: 2
// options: --nodes 1
// expect-output: rank 0: ncclCommInitRank gave 5
// expect-output: rank 1: ncclCommInitRank gave 5
// expect-output: device_choice
// expect-output: Duplicate GPU detected: rank 0 and rank 1 use the same device
// expect-output: to a program for one GPU a node, --nodes 2 -n 2 gives them
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
  ncclComm_t comm;
  printf("rank %d: ncclCommInitRank gave %d\n", rank, ncclCommInitRank(&comm, size, id, rank));
  MPI_Finalize();
  return 0;
}
