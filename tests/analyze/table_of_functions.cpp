// Functions called through tables of pointers that the main file only declares.
// with: parts/collective_table.cpp
// expect: site s1 ncclAllReduce send=in recv=out count=1024 type=ncclFloat comm=comm stream=stream op=ncclSum
// expect-count: 1 site s
#include <mpi.h>

#include "parts/collective_table.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  engine.run(&collective, comm, stream);
  MPI_Finalize();
}
