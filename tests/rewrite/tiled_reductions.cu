// Tiles of matrices are computed and summed over the ranks, three times with other values: scattered, for all, for all
// in place, for one rank. Sums are small whole numbers, so that no order of additions changes them. Neither rows nor
// columns are multiples of anything useful. SHAPE 1: blocks write everywhere. TYPE and NCCL_TYPE choose the elements.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "support.h"

#ifndef SHAPE
#define SHAPE 0
#endif
#ifndef TYPE
#define TYPE float
#define NCCL_TYPE ncclFloat
#endif

constexpr int kTiles = 5, kTile = 24, kColumns = kTiles * kTile, kBlockRows = 2;

// Two rows of a tile for each block, which may belong to the slices of two ranks.
__device__ void fill(TYPE* out, int rows, int seed, uint3 at, dim3 grid) {
  int row = (SHAPE == 0 ? at.y : grid.y - 1 - at.y) * kBlockRows + threadIdx.y;
  int column = (SHAPE == 0 ? at.x : (at.x + row) % kTiles) * kTile + threadIdx.x;
  if (row < rows) out[row * kColumns + column] = (TYPE)(float)((row * 7 + column * 3 + seed) % 8);
}
__global__ void fill_shared(TYPE* out, int rows, int seed) { fill(out, rows, seed, blockIdx, gridDim); }
__global__ void fill_whole(TYPE* out, int rows, int seed) { fill(out, rows, seed, blockIdx, gridDim); }
__global__ void fill_own(TYPE* out, int rows, int seed) { fill(out, rows, seed, blockIdx, gridDim); }
__global__ void fill_one(TYPE* out, int rows, int seed) { fill(out, rows, seed, blockIdx, gridDim); }

__global__ void spread(const TYPE* from, float* to, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = (float)from[i];
}

struct Matrix {
  TYPE *part, *sum;
  int rows;

  explicit Matrix(int row_count) : rows(row_count) {
    CHECK(cudaMalloc(&part, count() * sizeof(TYPE)));
    CHECK(cudaMalloc(&sum, count() * sizeof(TYPE)));
  }
  ~Matrix() {
    CHECK(cudaFree(part));
    CHECK(cudaFree(sum));
  }
  size_t count() const { return (size_t)rows * kColumns; }
  dim3 grid() const { return dim3(kTiles, (rows + kBlockRows - 1) / kBlockRows); }
};

void print(const char* name, int rank, const TYPE* data, size_t count, float* shown, cudaStream_t stream) {
  spread<<<1, 64, 0, stream>>>(data, shown, count);
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint(name, rank, shown, count);
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
  {
    Matrix shared(3 * self.count), whole(7), own(7), one(5);
    const dim3 block(kTile, kBlockRows);
    float* shown = nullptr;
    CHECK(cudaMalloc(&shown, (shared.count() + whole.count()) * sizeof(float)));
    for (int round = 0; round < 3; round++) {
      int seed = self.rank * 5 + round;
      size_t share = shared.count() / self.count;
      fill_shared<<<shared.grid(), block, 0, stream>>>(shared.part, shared.rows, seed);
      CHECK(ncclReduceScatter(shared.part, shared.sum, share, NCCL_TYPE, ncclSum, comm, stream));
      fill_whole<<<whole.grid(), block, 0, stream>>>(whole.part, whole.rows, seed + 1);
      CHECK(ncclAllReduce(whole.part, whole.sum, whole.count(), NCCL_TYPE, ncclMax, comm, stream));
      fill_own<<<own.grid(), block, 0, stream>>>(own.part, own.rows, seed + 2);
      CHECK(ncclAllReduce(own.part, own.part, own.count(), NCCL_TYPE, ncclSum, comm, stream));
      fill_one<<<one.grid(), block, 0, stream>>>(one.part, one.rows, seed + 3);
      CHECK(ncclReduce(one.part, one.sum, one.count(), NCCL_TYPE, ncclSum, self.count - 1, comm, stream));
      print("scattered", self.rank, shared.sum, share, shown, stream);
      print("largest", self.rank, whole.sum, whole.count(), shown, stream);
      print("in place", self.rank, own.part, own.count(), shown, stream);
      if (self.rank == self.count - 1) print("for one", self.rank, one.sum, one.count(), shown, stream);
    }
    CHECK(cudaFree(shown));
  }
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
