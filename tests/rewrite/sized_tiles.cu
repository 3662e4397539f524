// Tiles of 8 x 8 elements of a matrix are computed and all ranks gather the whole of it, twice with other values: ROWS
// COLUMNS from the command line. With a third argument blocks write wider tiles where there are more than 64 columns.
#include "support.h"

constexpr int kTile = 8;

__global__ void fill(float* out, int rank, int round, int rows, int columns, int width) {
  int row = blockIdx.y * kTile + threadIdx.y, first = blockIdx.x * width + threadIdx.x;
  for (int column = first; column < (int)(blockIdx.x + 1) * width; column += kTile)
    if (row < rows && column < columns)
      out[(size_t)row * columns + column] = (float)(rank * 4096 + (row * 7 + column) % 251 + round);
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
  const int rows = std::atoi(argv[1]), columns = std::atoi(argv[2]), width = argc > 3 && columns > 64 ? 16 : 8;
  const size_t count = (size_t)rows * columns;
  float *own = nullptr, *all = nullptr;
  CHECK(cudaMalloc(&own, count * sizeof(float)));
  CHECK(cudaMalloc(&all, count * self.count * sizeof(float)));
  const dim3 grid((columns + width - 1) / width, (rows + kTile - 1) / kTile), block(kTile, kTile);
  for (int round = 0; round < 2; round++) {
    fill<<<grid, block, 0, stream>>>(own, self.rank, round, rows, columns, width);
    CHECK(ncclAllGather(own, all, count, ncclFloat, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("all", self.rank, all, count * self.count);
  }
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
