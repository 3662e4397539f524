// Tiles of 8 x 8 elements of matrices are computed and summed over all ranks, for all and scattered, twice with other
// values: ROWS COLUMNS from the command line. Sums are small whole numbers, so that no order of additions changes them.
#include "support.h"

constexpr int kTile = 8;

__device__ void fill_tile(float* out, int rank, int round, int rows, int columns, uint3 block) {
  int row = block.y * kTile + threadIdx.y, column = block.x * kTile + threadIdx.x;
  if (row < rows && column < columns)
    out[(size_t)row * columns + column] = (float)((row * 7 + column * 3 + rank + round) % 8);
}

__global__ void fill(float* out, int rank, int round, int rows, int columns) {
  fill_tile(out, rank, round, rows, columns, blockIdx);
}
__global__ void fill_shared(float* out, int rank, int round, int rows, int columns) {
  fill_tile(out, rank, round, rows, columns, blockIdx);
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
  const size_t count = (size_t)rows * columns;
  float *part = nullptr, *sum = nullptr;
  CHECK(cudaMalloc(&part, count * sizeof(float)));
  CHECK(cudaMalloc(&sum, count * sizeof(float)));
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), block(kTile, kTile);
  for (int round = 0; round < 2; round++) {
    fill<<<grid, block, 0, stream>>>(part, self.rank, round, rows, columns);
    CHECK(ncclAllReduce(part, sum, count, ncclFloat, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("sum", self.rank, sum, count);
    fill_shared<<<grid, block, 0, stream>>>(part, self.rank, round + 2, rows, columns);
    CHECK(ncclReduceScatter(part, sum, count / self.count, ncclFloat, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("share", self.rank, sum, count / self.count);
  }
  CHECK(cudaFree(part));
  CHECK(cudaFree(sum));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
