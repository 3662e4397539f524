// Rows of a matrix are gathered from all ranks, and blocks of eight rows are blended with the rows around them, twice with
// other values: ROWS COLUMNS from the command line. With a third argument more rows around a block count where they are
// longer than 64 elements.
#include "support.h"

constexpr int kBlockRows = 8, kBlockColumns = 32;

__global__ void fill(float* out, int rank, int round, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) out[at] = (float)(rank * 4096 + at % 251 + round);
}

__global__ void blend(const float* __restrict__ all, float* out, int rows, int columns, int widens) {
  const int column = blockIdx.x * kBlockColumns + threadIdx.x, first = blockIdx.y * kBlockRows;
  const int around = widens && columns > 64 ? 3 : 1;
  if (column >= columns) return;
  for (int row = first; row < min(first + kBlockRows, rows); row++) {
    float sum = 0;
    for (int other = max(row - around, 0); other <= min(row + around, rows - 1); other++)
      sum += all[(size_t)other * columns + column] * (float)(other - row + 5);
    out[(size_t)row * columns + column] = sum;
  }
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
  const int columns = std::atoi(argv[2]), own_rows = std::atoi(argv[1]), rows = own_rows * self.count;
  const int count = own_rows * columns, widens = argc > 3;
  float *own = nullptr, *all = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&own, count * sizeof(float)));
  CHECK(cudaMalloc(&all, (size_t)rows * columns * sizeof(float)));
  CHECK(cudaMalloc(&out, (size_t)rows * columns * sizeof(float)));
  const dim3 grid((columns + kBlockColumns - 1) / kBlockColumns, (rows + kBlockRows - 1) / kBlockRows);
  for (int round = 0; round < 2; round++) {
    fill<<<(count + 63) / 64, 64, 0, stream>>>(own, self.rank, round, count);
    CHECK(ncclAllGather(own, all, count, ncclFloat, comm, stream));
    blend<<<grid, kBlockColumns, 0, stream>>>(all, out, rows, columns, widens);
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("blended", self.rank, out, (size_t)rows * columns);
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
