// Tiles of 8 x 8 elements of a matrix are computed behind a row of zeros and sent to the next rank, twice with other
// values: ROWS COLUMNS from the command line.
#include "support.h"

constexpr int kTile = 8;

__global__ void fill(float* out, int rank, int round, int rows, int columns) {
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  if (row < rows && column < columns)
    out[(size_t)(row + 1) * columns + column] = (float)(rank * 4096 + (row * 7 + column) % 251 + round);
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
  const int rows = std::atoi(argv[1]), columns = std::atoi(argv[2]);
  const int next = (self.rank + 1) % self.count, last = (self.rank + self.count - 1) % self.count;
  const size_t count = (size_t)rows * columns;
  float *own = nullptr, *other = nullptr;
  CHECK(cudaMalloc(&own, (count + columns) * sizeof(float)));
  CHECK(cudaMalloc(&other, count * sizeof(float)));
  CHECK(cudaMemset(own, 0, (count + columns) * sizeof(float)));
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), block(kTile, kTile);
  for (int round = 0; round < 2; round++) {
    fill<<<grid, block, 0, stream>>>(own, self.rank, round, rows, columns);
    CHECK(ncclGroupStart());
    CHECK(ncclSend(own + columns, count, ncclFloat, next, comm, stream));
    CHECK(ncclRecv(other, count, ncclFloat, last, comm, stream));
    CHECK(ncclGroupEnd());
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("other", self.rank, other, count);
  }
  CHECK(cudaFree(own));
  CHECK(cudaFree(other));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
