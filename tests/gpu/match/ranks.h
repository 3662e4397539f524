// One communicator over all MPI ranks. Ranks may share a GPU.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call) \
  ((call) == 0 ? (void)0 : (std::printf("%s:%d: %s failed\n", __FILE__, __LINE__, #call), std::exit(1)))

struct Ranks {
  int rank = 0, count = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  Ranks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    int device_count = 0;
    CHECK(cudaGetDeviceCount(&device_count));
    CHECK(cudaSetDevice(rank % device_count));
    ncclUniqueId id;
    if (rank == 0) CHECK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(ncclCommInitRank(&comm, count, id, rank));
    CHECK(cudaStreamCreate(&stream));
  }
  ~Ranks() {
    CHECK(cudaStreamDestroy(stream));
    CHECK(ncclCommDestroy(comm));
    MPI_Finalize();
  }
  Ranks(const Ranks&) = delete;
};

template <typename T>
T* allocate(size_t count) {
  T* memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  return memory;
}
