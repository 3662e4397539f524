// What the programs of this folder share: checks, a cluster of MPI ranks, a fingerprint to compare results by.
#pragma once

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void require(int result, const char* what, int line) {
  if (result == 0) return;
  std::fprintf(stderr, "line %d: %s gave %d\n", line, what, result);
  std::exit(1);
}
#define CHECK(call) require((int)(call), #call, __LINE__)

struct Ranks {
  int rank, count;
  Ranks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaSetDevice(rank % devices));
  }
  ~Ranks() { MPI_Finalize(); }
};

template <typename T>
void print_fingerprint(const char* name, int rank, const T* device, size_t count) {
  std::vector<T> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < count * sizeof(T); i++)
    hash = (hash ^ ((const unsigned char*)host.data())[i]) * 1099511628211u;
  std::printf("rank %d %s: %016llx\n", rank, name, (unsigned long long)hash);
}
