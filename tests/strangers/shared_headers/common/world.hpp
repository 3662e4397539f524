#pragma once
#include "checks.hpp"

#include <mpi.h>
#include <nccl.h>

// Everything that talks to other ranks, for all programs of the project.
class World {
 public:
  World(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    must(cudaSetDevice(rank_));
    ncclUniqueId id;
    if (rank_ == 0) must(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    must(ncclCommInitRank(&comm_, size_, id, rank_));
    must(cudaStreamCreate(&stream_));
  }
  ~World() {
    cudaStreamDestroy(stream_);
    ncclCommDestroy(comm_);
    MPI_Finalize();
  }
  World(const World&) = delete;

  void sum(float* values, size_t count) const {
    must(ncclAllReduce(values, values, count, ncclFloat, ncclSum, comm_, stream_));
  }
  int rank() const { return rank_; }
  int size() const { return size_; }
  cudaStream_t stream() const { return stream_; }

 private:
  int rank_ = 0, size_ = 1;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
};
