#include "communicator.hpp"

Communicator::Communicator(int rank, int world) : rank_(rank), world_(world) {
  ncclUniqueId id;
  if (rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(ncclCommInitRank(&comm_, world, id, rank));
}

Communicator::~Communicator() {
  if (comm_) ncclCommDestroy(comm_);
}

void Communicator::all_reduce_sum(float* data, size_t count, cudaStream_t stream) {
  CHECK(ncclAllReduce(data, data, count, ncclFloat, ncclSum, comm_, stream));
}
