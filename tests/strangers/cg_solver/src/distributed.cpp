#include "distributed.hpp"

namespace dist {

Environment::Environment(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  check(cudaSetDevice(rank_ % devices));
  ncclUniqueId id;
  if (rank_ == 0) check(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  check(ncclCommInitRank(&comm_, size_, id, rank_));
  check(cudaStreamCreate(&stream_));
}

Environment::~Environment() {
  cudaStreamDestroy(stream_);
  ncclCommDestroy(comm_);
  MPI_Finalize();
}

}  // namespace dist
