// What the programs here share: ranks with a communicator, NAME=VALUE arguments, and a gather that makes a buffer one
// that is communicated.
#pragma once

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdlib>
#include <cstring>

struct Ranks {
  int rank = 0, count = 1;
  ncclComm_t comm;

  Ranks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    cudaSetDevice(rank);
    ncclUniqueId id;
    if (rank == 0) ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, count, id, rank);
  }
  ~Ranks() {
    cudaDeviceSynchronize();
    ncclCommDestroy(comm);
    MPI_Finalize();
  }
};

inline int argument(int argc, char** argv, const char* name, int otherwise) {
  size_t length = std::strlen(name);
  for (int i = 1; i < argc; i++)
    if (std::strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return std::atoi(argv[i] + length + 1);
  return otherwise;
}

inline float* floats(size_t count) {
  float* memory;
  cudaMalloc(&memory, count * sizeof(float));
  cudaMemset(memory, 0, count * sizeof(float));
  return memory;
}

// Every rank's `count` floats to all.
inline void gather(const Ranks& ranks, const float* mine, size_t count) {
  float* all = floats(count * ranks.count);
  ncclAllGather(mine, all, count, ncclFloat, ranks.comm, nullptr);
  cudaStreamSynchronize(nullptr);
  cudaFree(all);
}
