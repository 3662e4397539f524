// stranger: C throughout but for the kernels, in folders, with globals, an argument parser and a check macro
// files: main.c src/arguments.c src/kernels.cu
// flags: -Iinclude -DREAL=float -std=gnu99
// ranks: 3
// arguments: -n 96 -k 4
// expect-output: rank 0 of 3: sum 1152
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "kernels.h"

#define CHECK(call)                                                        \
  do {                                                                     \
    int code = (int)(call);                                                \
    if (code != 0) {                                                       \
      fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, code); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                        \
    }                                                                      \
  } while (0)

int rank, size;
struct arguments options = {.count = 8, .rounds = 1};

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  parse_arguments(argc, argv, &options);
  CHECK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, size, id, rank));
  size_t bytes = options.count * sizeof(REAL);
  REAL *mine, *all, *host = malloc(bytes);
  CHECK(cudaMalloc((void**)&mine, bytes));
  CHECK(cudaMalloc((void**)&all, bytes));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  double begin = MPI_Wtime();
  for (int round = 0; round < options.rounds; round++) {
    fill(mine, options.count, rank + round, stream);
    CHECK(ncclAllReduce(mine, all, options.count, ncclFloat, ncclSum, comm, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  double seconds = MPI_Wtime() - begin;
  CHECK(cudaMemcpy(host, all, bytes, cudaMemcpyDeviceToHost));
  double sum = 0;
  for (size_t i = 0; i < options.count; i++) sum += host[i];
  printf("rank %d of %d: sum %g in %s\n", rank, size, sum, seconds > 0 ? "some time" : "no time");
  CHECK(cudaFree(mine));
  CHECK(cudaFree(all));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
  free(host);
  MPI_Finalize();
  return 0;
}
