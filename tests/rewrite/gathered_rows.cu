// Rows of a matrix are gathered from all ranks and each is worked on by blocks of a kernel, in three rounds. SHAPE chooses
// what a block reads: 0 its two rows, 1 all of them, 2 its rows and those around them, 3 rows that the data choose, 4 its
// rows and a counter that all of them raise, 5 its rows, which it overwrites. In FORM 1 the launch stands in a macro; in
// FORM 2 blocks are numbered through.
#include "support.h"

#ifndef SHAPE
#define SHAPE 0
#endif
#ifndef FORM
#define FORM 0
#endif

constexpr int kRows = 16, kColumns = 128, kTile = 64;
constexpr size_t kCount = kRows * kColumns;

__global__ void fill(float* out, int rank, int round) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = (float)(rank * 4096 + at % 251 + round);
}

// The value that the block's thread makes of one row.
__device__ float made_of(const float* all, int rows, int row, int column) {
#if SHAPE == 1
  float sum = (float)row;
  for (int other = 0; other < rows; other++) sum += all[other * kColumns + column];
  return sum;
#elif SHAPE == 2
  float sum = all[row * kColumns + column] * 2;
  if (row > 0) sum += all[(row - 1) * kColumns + column];
  return row + 1 < rows ? sum + all[(row + 1) * kColumns + column] : sum;
#elif SHAPE == 3
  return all[(int)all[row * kColumns + column] % rows * kColumns + column];
#else
  return all[row * kColumns + column] * 3 + 1;
#endif
}

__global__ void work(const float* __restrict__ all, float* out, int rows, int* counter) {
#if FORM == 2
  const int first = 2 * (blockIdx.x / (kColumns / kTile));
#else
  const int first = 2 * blockIdx.y;
#endif
  const int column = (FORM == 2 ? blockIdx.x % (kColumns / kTile) : blockIdx.x) * kTile + threadIdx.x;
  for (int row = first; row < first + 2; row++) out[row * kColumns + column] = made_of(all, rows, row, column);
  if (SHAPE == 4 && threadIdx.x == 0) atomicAdd(counter, 1);
}

#define LAUNCH(grid, stream, ...) work<<<grid, kTile, 0, stream>>>(__VA_ARGS__)

void work_on(float* all, float* out, int rows, int* counter, cudaStream_t stream) {
  dim3 grid = FORM == 2 ? dim3(kColumns / kTile * rows / 2) : dim3(kColumns / kTile, rows / 2);
#if FORM == 1
  LAUNCH(grid, stream, all, out, rows, counter);
#else
  work<<<grid, kTile, 0, stream>>>(all, SHAPE == 5 ? all : out, rows, counter);
#endif
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
  float *own = nullptr, *all = nullptr, *out = nullptr;
  int* counter = nullptr;
  CHECK(cudaMalloc(&own, kCount * sizeof(float)));
  CHECK(cudaMalloc(&all, kCount * self.count * sizeof(float)));
  CHECK(cudaMalloc(&out, kCount * self.count * sizeof(float)));
  CHECK(cudaMalloc(&counter, sizeof(int)));
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  CHECK(cudaMemset(out, 0, kCount * self.count * sizeof(float)));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 3; round++) {
    fill<<<kCount / 64, 64, 0, stream>>>(own, self.rank, round);
    CHECK(ncclAllGather(own, all, kCount, ncclFloat, comm, stream));
    work_on(all, out, kRows * self.count, counter, stream);
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("made", self.rank, SHAPE == 5 ? all : out, kCount * self.count);
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(cudaFree(out));
  CHECK(cudaFree(counter));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
