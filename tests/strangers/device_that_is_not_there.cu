// stranger: a rank asks for a GPU that its node does not have, and says so
// ranks: 4
// options: --nodes 1 --profile a100x4-nvlink
// expect-output: rank 3 cannot use device 9
// expect-output: cudaSetDevice(9) at device_that_is_not_there.cu:15: node 0 has 4 devices, numbered from 0; cudaSetDevice(rank % device_count) works on every layout
#include <cuda_runtime.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (cudaSetDevice(rank == 3 ? 9 : rank) != cudaSuccess) printf("rank %d cannot use device 9\n", rank);
  MPI_Finalize();
  return 0;
}
