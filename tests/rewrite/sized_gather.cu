// Rows of a matrix are computed and all ranks gather the whole of it, twice with other values: ROWS COLUMNS from the
// command line. With a third argument sixteen blocks take turns at pieces of 64 elements, so that a block owns one
// run of bytes only where there are as many pieces.
#include "support.h"

constexpr int kBlocks = 16, kPiece = 64;

__device__ float value_at(int rank, int round, size_t at) { return (float)(rank * 4096 + (int)(at % 251) + round); }

__global__ void fill(float* out, int rank, int round, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    size_t at = (size_t)blockIdx.x * columns + i;
    out[at] = value_at(rank, round, at);
  }
}
__global__ void fill_in_turns(float* out, int rank, int round, int count) {
  for (int at = blockIdx.x * kPiece + threadIdx.x; at < count; at += kBlocks * kPiece)
    out[at] = value_at(rank, round, at);
}

void step(float* own, float* all, int rows, int columns, bool in_turns, int round, int rank, ncclComm_t comm,
          cudaStream_t stream) {
  if (in_turns)
    fill_in_turns<<<kBlocks, kPiece, 0, stream>>>(own, rank, round, rows * columns);
  else
    fill<<<rows, 32, 0, stream>>>(own, rank, round, columns);
  CHECK(ncclAllGather(own, all, (size_t)rows * columns, ncclFloat, comm, stream));
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
  float *own = nullptr, *all = nullptr;
  CHECK(cudaMalloc(&own, count * sizeof(float)));
  CHECK(cudaMalloc(&all, count * self.count * sizeof(float)));
  for (int round = 0; round < 2; round++) {
    step(own, all, rows, columns, argc > 3, round, self.rank, comm, stream);
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("all", self.rank, all, count * self.count);
  }
  CHECK(cudaFree(own));
  CHECK(cudaFree(all));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
