// stranger: a column of C on every rank, gathered by all: own tiled product, own parser, in three files
// files: main.cu src/gemm.cu src/options.cpp
// flags: -Iinclude
// ranks: 2
// arguments: -m 64 -n 64 -k 32 -i 2
// case: -m 4096 -n 4096 -k 4096 -i 10
// case-on: -n 4 --profile a100-2node-roce
// optimize: 5
// faster: 1.2
// share: all
// expect-output: result: CORRECT
// convert: lsa
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "gemm.h"
#include "options.h"

#define CUDACHECK(cmd) do {                         \
  cudaError_t err = cmd;                            \
  if (err != cudaSuccess) {                         \
    printf("Failed: Cuda error %s:%d '%s'\n",       \
        __FILE__,__LINE__,cudaGetErrorString(err)); \
    exit(EXIT_FAILURE);                             \
  }                                                 \
} while(0)

#define NCCLCHECK(cmd) do {                         \
  ncclResult_t res = cmd;                           \
  if (res != ncclSuccess) {                         \
    printf("Failed, NCCL error %s:%d '%s'\n",       \
        __FILE__,__LINE__,ncclGetErrorString(res)); \
    exit(EXIT_FAILURE);                             \
  }                                                 \
} while(0)

static float a_value(int i, int k) { return (float)((i * 3 + k) % 11) * 0.1f - 0.5f; }
static float b_value(int k, int j) { return (float)((k + j * 5) % 13) * 0.1f - 0.6f; }

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int myRank, nRanks;
  MPI_Comm_rank(MPI_COMM_WORLD, &myRank);
  MPI_Comm_size(MPI_COMM_WORLD, &nRanks);
  Options opts;
  if (!parse_options(argc, argv, &opts)) {
    if (myRank == 0) usage(argv[0]);
    MPI_Finalize();
    return 2;
  }
  // Rows of A, and so of C, are cut over the ranks; B is on all of them.
  const int rows = opts.m / nRanks;
  CUDACHECK(cudaSetDevice(myRank));
  ncclUniqueId id;
  ncclComm_t comm;
  if (myRank == 0) NCCLCHECK(ncclGetUniqueId(&id));
  MPI_Bcast((void*)&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  NCCLCHECK(ncclCommInitRank(&comm, nRanks, id, myRank));

  std::vector<float> hA((size_t)rows * opts.k), hB((size_t)opts.k * opts.n), hC((size_t)opts.m * opts.n);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < opts.k; k++) hA[(size_t)i * opts.k + k] = a_value(myRank * rows + i, k);
  for (int k = 0; k < opts.k; k++)
    for (int j = 0; j < opts.n; j++) hB[(size_t)k * opts.n + j] = b_value(k, j);
  float *dA, *dB, *dPart, *dC;
  CUDACHECK(cudaMalloc(&dA, hA.size() * sizeof(float)));
  CUDACHECK(cudaMalloc(&dB, hB.size() * sizeof(float)));
  CUDACHECK(cudaMalloc(&dPart, (size_t)rows * opts.n * sizeof(float)));
  CUDACHECK(cudaMalloc(&dC, hC.size() * sizeof(float)));
  CUDACHECK(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDACHECK(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

  cudaStream_t stream;
  cudaEvent_t start, stop;
  CUDACHECK(cudaStreamCreate(&stream));
  CUDACHECK(cudaEventCreate(&start));
  CUDACHECK(cudaEventCreate(&stop));
  CUDACHECK(cudaEventRecord(start, stream));
  for (int i = 0; i < opts.iterations; i++) {
    gemm(dA, dB, dPart, rows, opts.n, opts.k, stream);
    NCCLCHECK(ncclAllGather(dPart, dC, (size_t)rows * opts.n, ncclFloat, comm, stream));
  }
  CUDACHECK(cudaEventRecord(stop, stream));
  CUDACHECK(cudaStreamSynchronize(stream));
  float ms = 0;
  CUDACHECK(cudaEventElapsedTime(&ms, start, stop));

  CUDACHECK(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int errors = 0;
  for (int probe = 0; probe < 64; probe++) {
    int i = (probe * 37) % opts.m, j = (probe * 101) % opts.n;
    double ref = 0;
    for (int k = 0; k < opts.k; k++) ref += (double)a_value(i, k) * b_value(k, j);
    errors += fabs(ref - hC[(size_t)i * opts.n + j]) > 1e-3 * sqrt((double)opts.k);
  }
  if (myRank == 0)
    printf("%d x %d x %d on %d ranks: %.3f ms, result: %s\n", opts.m, opts.n, opts.k, nRanks, ms / opts.iterations,
           errors ? "WRONG" : "CORRECT");
  CUDACHECK(cudaFree(dA));
  CUDACHECK(cudaFree(dB));
  CUDACHECK(cudaFree(dPart));
  CUDACHECK(cudaFree(dC));
  CUDACHECK(cudaEventDestroy(start));
  CUDACHECK(cudaEventDestroy(stop));
  CUDACHECK(cudaStreamDestroy(stream));
  ncclCommDestroy(comm);
  MPI_Finalize();
  return errors != 0;
}
