// What most programs here need: checked calls, and one communicator over all MPI ranks.
#pragma once

#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    int result_ = static_cast<int>(call);                                                 \
    if (result_ != 0) {                                                                   \
      std::printf("%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, result_);             \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                       \
    }                                                                                     \
  } while (0)

struct Ranks {
  int rank = 0, count = 0;
  ncclComm_t comm = nullptr;

  Ranks(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm node;
    int local = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_free(&node);
    CHECK(cudaSetDevice(local));
    ncclUniqueId id;
    if (rank == 0) CHECK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(ncclCommInitRank(&comm, count, id, rank));
  }
  ~Ranks() {
    CHECK(ncclCommDestroy(comm));
    MPI_Finalize();
  }
  Ranks(const Ranks&) = delete;

  // Prints the verdict of this rank and turns it into an exit code.
  int verdict(long wrong) const {
    std::printf("rank %d: %ld wrong\n", rank, wrong);
    return wrong != 0;
  }
};

// Symmetric memory with its window.
struct Window {
  ncclComm_t comm;
  char* base = nullptr;
  ncclWindow_t handle = nullptr;

  Window(ncclComm_t owner, size_t bytes, int flags = NCCL_WIN_COLL_SYMMETRIC) : comm(owner) {
    CHECK(ncclMemAlloc(reinterpret_cast<void**>(&base), bytes));
    CHECK(ncclCommWindowRegister(comm, base, bytes, &handle, flags));
  }
  ~Window() {
    CHECK(ncclCommWindowDeregister(comm, handle));
    CHECK(ncclMemFree(base));
  }
  Window(const Window&) = delete;
};

template <typename T>
std::vector<T> download(const T* device, size_t count) {
  std::vector<T> host(count);
  CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

template <typename T>
void upload(T* device, const std::vector<T>& host) {
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}
