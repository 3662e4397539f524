// stranger: a global object ends the communicator and prints the time, a function given to atexit finalizes MPI
// ranks: 2
// expect-output: rank 0 leaves: sum 128
// expect-output: rank 1 leaves: sum 128
// expect-output: rank 0 finalizes
// expect-output: seed 1: ok
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

static int rank, ranks;

static void finalize() {
  if (rank == 0) printf("rank %d finalizes\n", rank);
  MPI_Finalize();
}

struct Session {
  ncclComm_t comm = nullptr;
  float *data = nullptr, sum = 0;
  ~Session() {
    printf("rank %d leaves: sum %g\n", rank, sum);
    cudaFree(data);
    ncclCommDestroy(comm);
  }
};

static Session session;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  atexit(finalize);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&session.comm, ranks, id, rank);
  float start = 64;
  cudaMalloc(&session.data, sizeof(float));
  cudaMemcpy(session.data, &start, sizeof(float), cudaMemcpyHostToDevice);
  ncclAllReduce(session.data, session.data, 1, ncclFloat, ncclSum, session.comm, 0);
  cudaMemcpy(&session.sum, session.data, sizeof(float), cudaMemcpyDeviceToHost);
  if (rank == 1) exit(0);
  return 0;
}
