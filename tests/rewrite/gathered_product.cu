// Rows of activations are gathered from all ranks and multiplied by this rank's columns of the weights, again and again,
// as in a layer whose rows and columns are spread over ranks. With an argument ranks print their times.
#include "support.h"

#ifndef ROWS
#define ROWS 128  // Of a rank.
#endif
#ifndef DEPTH
#define DEPTH 128
#endif
#ifndef COLUMNS
#define COLUMNS 128
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

constexpr int kTile = 32;

__global__ void fill(float* out, int seed) {
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = (float)((at * 7 + seed) % 13) - 6;
}

// A tile of 32 x 32 of the product: a row of each block's threads for each of its rows.
__global__ void product(const float* a, const float* b, float* c, int columns, int depth) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum[4] = {};
  for (int k = 0; k < depth; k += kTile) {
    for (int i = 0; i < kTile; i += 8) {
      left[threadIdx.y + i][threadIdx.x] = a[(size_t)(row + i) * depth + k + threadIdx.x];
      right[threadIdx.y + i][threadIdx.x] = b[(size_t)(k + threadIdx.y + i) * columns + column];
    }
    __syncthreads();
    for (int d = 0; d < kTile; d++)
      for (int i = 0; i < 4; i++) sum[i] += left[threadIdx.y + 8 * i][d] * right[d][threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) c[(size_t)(row + 8 * i) * columns + column] = sum[i];
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  const int rows = ROWS, depth = DEPTH, columns = COLUMNS;
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  const size_t own_count = (size_t)rows * depth, made_count = (size_t)rows * self.count * columns;
  float *own = nullptr, *all = nullptr, *weights = nullptr, *made = nullptr;
  CHECK(cudaMalloc(&own, own_count * sizeof(float)));
  CHECK(cudaMalloc(&all, own_count * self.count * sizeof(float)));
  CHECK(cudaMalloc(&weights, (size_t)depth * columns * sizeof(float)));
  CHECK(cudaMalloc(&made, made_count * sizeof(float)));
  fill<<<depth * columns / 128, 128, 0, stream>>>(weights, self.rank);
  const dim3 grid(columns / kTile, rows * self.count / kTile), block(kTile, 8);
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaStreamSynchronize(stream));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaEventRecord(begin, stream));
  for (int round = 0; round < ROUNDS; round++) {
    fill<<<own_count / 128, 128, 0, stream>>>(own, self.rank + round);
    CHECK(ncclAllGather(own, all, own_count, ncclFloat, comm, stream));
    product<<<grid, block, 0, stream>>>(all, weights, made, columns, depth);
  }
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  if (argc > 1) std::printf("rank %d: %.1f us\n", self.rank, 1000 * milliseconds);
  print_fingerprint("made", self.rank, made, made_count);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(cudaFree(weights));
  CHECK(cudaFree(made));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
