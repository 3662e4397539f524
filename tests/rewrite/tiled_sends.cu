// Tiles of a matrix are computed for the next rank and for the one after it, and both are sent in one group; what came
// is added up. SHAPE 1 writes every second row from either end, so that no run of bytes belongs to a run of blocks.
#include "support.h"

#ifndef SHAPE
#define SHAPE 0
#endif

constexpr int kRows = 64, kColumns = 64;
constexpr size_t kCount = kRows * kColumns;

__global__ void fill(int* out, int seed) {
  int row = blockIdx.y * 2 + threadIdx.y;
  if (SHAPE == 1 && row % 2 == 1) row = kRows - row;
  int at = row * kColumns + blockIdx.x * 32 + threadIdx.x;
  out[at] = at * 3 + seed;
}
__global__ void add(const int* came, int* sum) {
  size_t at = blockIdx.x * blockDim.x + threadIdx.x;
  sum[at] = sum[at] * 5 + came[at];
}

void step(int* out, int* came, int* sum, int round, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  dim3 grid(kColumns / 32, kRows / 2), block(32, 2);
  for (int turn = 1; turn <= 2; turn++)
    fill<<<grid, block, 0, stream>>>(out + (turn - 1) * kCount, self.rank * 100 + turn * 10 + round);
  CHECK(ncclGroupStart());
  for (int turn = 1; turn <= 2; turn++) {
    int to = (self.rank + turn) % self.count, from = (self.rank + self.count - turn) % self.count;
    CHECK(ncclSend(out + (turn - 1) * kCount, kCount, ncclInt, to, comm, stream));
    CHECK(ncclRecv(came + (turn - 1) * kCount, kCount, ncclInt, from, comm, stream));
  }
  CHECK(ncclGroupEnd());
  for (int turn = 0; turn < 2; turn++) add<<<kCount / 128, 128, 0, stream>>>(came + turn * kCount, sum + turn * kCount);
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
  int *out = nullptr, *came = nullptr, *sum = nullptr;
  CHECK(cudaMalloc(&out, 2 * kCount * sizeof(int)));
  CHECK(cudaMalloc(&came, 2 * kCount * sizeof(int)));
  CHECK(cudaMalloc(&sum, 2 * kCount * sizeof(int)));
  CHECK(cudaMemset(sum, 0, 2 * kCount * sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 3; round++) step(out, came, sum, round, self, comm, stream);
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("sum", self.rank, sum, 2 * kCount);
  CHECK(cudaFree(out));
  CHECK(cudaFree(came));
  CHECK(cudaFree(sum));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
