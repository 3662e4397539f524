// What every example needs: checked calls, one communicator over all MPI ranks, data and its check.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cuco/comm/set_up.cuh>
#include <vector>

namespace comm = cuco::comm;

// How messages travel: Lsa inside a node, Gin or Hybrid over several.
#ifndef EXAMPLE_PATH
#define EXAMPLE_PATH Lsa
#endif
using Path = comm::EXAMPLE_PATH;
template <int kSite>
constexpr comm::Site<kSite, Path> site = {};

#define CHECK(call)                                                         \
  do {                                                                      \
    if (int code = (int)(call)) {                                           \
      std::printf("%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, code); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                         \
    }                                                                       \
  } while (0)

// A process with one GPU. Buffers are allocated before open() and released before the end.
struct Ranks {
  int rank = 0, count = 0;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  Ranks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm node;
    int device = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &device);
    MPI_Comm_free(&node);
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamCreate(&stream));
    ncclUniqueId id;
    if (rank == 0) CHECK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(comm::created(ncclCommInitRank(&comm, count, id, rank), &comm));
  }
  ~Ranks() {
    CHECK(comm::destroy(comm));
    CHECK(cudaStreamDestroy(stream));
    MPI_Finalize();
  }
  Ranks(const Ranks&) = delete;

  // The exit code of this rank.
  int verdict(long wrong) const {
    std::printf("rank %d: %s\n", rank, wrong == 0 ? "ok" : "WRONG");
    return wrong == 0 ? 0 : 1;
  }
};

// Small whole numbers that differ from rank to rank and from round to round, on the device and in the reference.
__host__ __device__ inline float value(int rank, int round, size_t i) {
  return (float)((i * 7 + (size_t)rank * 5 + (size_t)round * 3) % 11) - 5;
}
__global__ void fill(float* to, size_t count, int rank, int round) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value(rank, round, i);
}
inline unsigned blocks_for(size_t count, unsigned threads) { return (unsigned)((count + threads - 1) / threads); }

// How many elements on the device are not what `expected(i)` says, after all work of the stream.
template <typename Expected>
long count_wrong(const float* device, size_t count, double tolerance, cudaStream_t stream, Expected expected) {
  std::vector<float> host(count);
  CHECK(cudaMemcpyAsync(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  long wrong = 0;
  for (size_t i = 0; i < count; i++) wrong += !(std::fabs(host[i] - expected(i)) <= tolerance);
  return wrong;
}
