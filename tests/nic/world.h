// What the GPU tests of the emulated NIC share: one process per rank, a communicator, a window, a device communicator.
#pragma once

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK_CUDA(call)                                                         \
  do {                                                                           \
    const cudaError_t code = (call);                                             \
    if (code != cudaSuccess) stop(__FILE__, __LINE__, cudaGetErrorString(code)); \
  } while (0)
#define CHECK_NCCL(call)                                                         \
  do {                                                                           \
    const ncclResult_t code = (call);                                            \
    if (code != ncclSuccess) stop(__FILE__, __LINE__, ncclGetErrorString(code)); \
  } while (0)

inline void stop(const char* file, int line, const char* reason) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

constexpr size_t kWindowBytes = size_t{64} << 20;
constexpr int kSignals = 16;
constexpr int kContexts = 4;

struct World {
  int rank = 0;
  int count = 0;
  bool ends_mpi = false;
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;
  char* memory = nullptr;
  ncclWindow_t window = nullptr;
  ncclDevComm device{};

  World(int* argc, char*** argv) : ends_mpi(true) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    connect();
  }
  // One of several that a process makes after the other.
  World(int own_rank, int rank_count) : rank(own_rank), count(rank_count) { connect(); }

  void connect() {
    CHECK_CUDA(cudaSetDevice(0));
    ncclUniqueId id;
    if (rank == 0) CHECK_NCCL(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK_NCCL(ncclCommInitRank(&comm, count, id, rank));
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }

  bool has_gin() const {
    ncclCommProperties_t properties = NCCL_COMM_PROPERTIES_INITIALIZER;
    CHECK_NCCL(ncclCommQueryProperties(comm, &properties));
    return properties.ginType != NCCL_GIN_TYPE_NONE;
  }

  void open_window() {
    CHECK_NCCL(ncclMemAlloc(reinterpret_cast<void**>(&memory), kWindowBytes));
    CHECK_CUDA(cudaMemset(memory, 0, kWindowBytes));
    CHECK_NCCL(ncclCommWindowRegister(comm, memory, kWindowBytes, &window, NCCL_WIN_COLL_SYMMETRIC));
    ncclDevCommRequirements_t needs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
    needs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    needs.ginContextCount = kContexts;
    needs.ginSignalCount = kSignals;
    needs.ginCounterCount = kSignals;
    needs.worldGinBarrierCount = 1;
    CHECK_NCCL(ncclDevCommCreate(comm, &needs, &device));
    meet();
  }

  void close_window() {
    meet();
    CHECK_NCCL(ncclDevCommDestroy(comm, &device));
    CHECK_NCCL(ncclCommWindowDeregister(comm, window));
    CHECK_NCCL(ncclMemFree(memory));
  }

  // Without taking down the window and the device communicator first, as a program does that has seen an error.
  void abort() {
    CHECK_NCCL(ncclCommAbort(comm));
    comm = nullptr;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_NCCL(ncclMemFree(memory));
  }

  void meet() const {
    wait(stream);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // A kernel that waits for a signal cannot see that a request has failed; the host does.
  void wait(cudaStream_t on) const {
    cudaError_t state = cudaErrorNotReady;
    while ((state = cudaStreamQuery(on)) == cudaErrorNotReady) {
      ncclResult_t result = ncclSuccess;
      CHECK_NCCL(ncclCommGetAsyncError(comm, &result));
      if (result != ncclSuccess && result != ncclInProgress) stop(__FILE__, __LINE__, ncclGetErrorString(result));
    }
    CHECK_CUDA(state);
  }

  // The largest value of all ranks.
  double slowest(double mine) const {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
  }

  ~World() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (comm != nullptr) ncclCommDestroy(comm);
    if (ends_mpi) MPI_Finalize();
  }
};

__device__ inline uint64_t global_ns() {
  uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}
