// Tiles of a matrix are computed and all ranks gather the whole of it, twice with other values. SHAPE chooses how
// blocks lie on the rows: 0 in tiles of two rows, 1 in columns, 2 everywhere. With FORM 1 the launch stands in a
// macro.
#include "support.h"

#ifndef SHAPE
#define SHAPE 0
#endif
#ifndef FORM
#define FORM 0
#endif

constexpr int kRows = 16, kColumns = 128, kTile = 32;

__device__ float value_at(int rank, int round, int at) { return (float)(rank * 4096 + at % 251 + round); }

__global__ void fill(float* out, int rank, int round) {
#if SHAPE == 0
  for (int row = 2 * blockIdx.y; row < 2 * blockIdx.y + 2; row++) {
#elif SHAPE == 1
  for (int row = 0; row < kRows; row++) {
#else
  for (int row = (gridDim.y - 1 - blockIdx.y) % 2; row < kRows; row += 2) {
#endif
    int at = row * kColumns + blockIdx.x * kTile + threadIdx.x;
    out[at] = value_at(rank, round, at);
  }
}

#define LAUNCH(grid, stream, ...) fill<<<grid, kTile, 0, stream>>>(__VA_ARGS__)

void compute(float* out, int rank, int round, cudaStream_t stream) {
  dim3 grid(kColumns / kTile, SHAPE == 0 ? kRows / 2 : SHAPE == 1 ? 1 : 2);
#if FORM == 1
  LAUNCH(grid, stream, out, rank, round);
#else
  if (round >= 0)
    fill<<<grid, kTile, 0, stream>>>(out, rank, round);
  else
    fill<<<dim3(1, 1), kTile, 0, stream>>>(out, rank, 0);
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
  constexpr size_t kCount = kRows * kColumns;
  float *own = nullptr, *all = nullptr;
  CHECK(cudaMalloc(&own, kCount * sizeof(float)));
  CHECK(cudaMalloc(&all, kCount * self.count * sizeof(float)));
  for (int round = 0; round < 3; round++) {
    compute(own, self.rank, round, stream);
    CHECK(ncclAllGather(own, all, kCount, ncclFloat, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("gathered", self.rank, all, kCount * self.count);
  }
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
