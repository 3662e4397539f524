// Rows of a matrix, the first of them FIRST blocks later, are computed and all ranks gather the whole of it: ROWS COLUMNS
// FIRST from the command line. Neither the grid nor the size of messages tells where the rows begin.
#include "support.h"

__global__ void fill(float* out, int rank, int rows, int columns, int first) {
  int row = (blockIdx.x + first) % rows;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[row * columns + i] = rank * 4096 + row * 7 + i % 251;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const int rows = std::atoi(argv[1]), columns = std::atoi(argv[2]), first = std::atoi(argv[3]);
  const size_t count = (size_t)rows * columns;
  float *own = nullptr, *all = nullptr;
  CHECK(cudaMalloc(&own, count * sizeof(float)));
  CHECK(cudaMalloc(&all, count * self.count * sizeof(float)));
  fill<<<rows, 32, 0, stream>>>(own, self.rank, rows, columns, first);
  CHECK(ncclAllGather(own, all, count, ncclFloat, comm, stream));
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("all", self.rank, all, count * self.count);
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
