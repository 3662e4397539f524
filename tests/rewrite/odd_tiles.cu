// Rows of odd length in two buffers by turns. Blocks keep a piece of a row in shared memory, ask for the size of their
// grid, and end threads that have nothing to store. All ranks gather what the first kernel writes, and every rank gets
// its part of what the second writes.
#include "support.h"

constexpr int kRows = 24, kColumns = 45, kTile = 15, kThreads = 20;

__device__ short value_at(int rank, int round, int at) { return (short)(rank * 1009 + round * 131 + at * 7 % 251); }

template <int kEdge>
__global__ void smooth(short* out, int rank, int round) {
  __shared__ int piece[kTile + 2 * kEdge];
  extern __shared__ int weights[];
  int first = blockIdx.y * kColumns + blockIdx.x * kTile;
  for (int i = threadIdx.x; i < kTile + 2 * kEdge; i += blockDim.x) {
    piece[i] = value_at(rank, round, first + i);
    weights[i] = (i + blockIdx.x) % 3 + 1;
  }
  __syncthreads();
  if (threadIdx.x >= kTile) return;
  int sum = gridDim.x * 1000 + gridDim.y;
  for (int i = 0; i <= 2 * kEdge; i++) sum += piece[threadIdx.x + i] * weights[threadIdx.x + i];
  out[first + threadIdx.x] = (short)sum;
}

// Blocks own a piece of every row.
__global__ void columns(short* out, int rank, int round) {
  for (int row = 0; row < kRows; row++) {
    int at = row * kColumns + blockIdx.x * kTile + threadIdx.x;
    if (threadIdx.x < kTile) out[at] = value_at(rank, -round, at);
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
  constexpr size_t kCount = kRows * kColumns, kShared = (kTile + 2) * sizeof(int);
  short *own[2], *all[2], *mine = nullptr, *parts = nullptr;
  for (int i = 0; i < 2; i++) {
    CHECK(cudaMalloc(&own[i], kCount * sizeof(short)));
    CHECK(cudaMalloc(&all[i], kCount * self.count * sizeof(short)));
  }
  CHECK(cudaMalloc(&mine, kCount * sizeof(short)));
  CHECK(cudaMalloc(&parts, kCount * sizeof(short)));
  for (int round = 0; round < 3; round++) {
    int turn = round % 2;
    smooth<1><<<dim3(kColumns / kTile, kRows), kThreads, kShared, stream>>>(own[turn], self.rank, round);
    CHECK(ncclAllGather(own[turn], all[turn], kCount * sizeof(short), ncclInt8, comm, stream));
    columns<<<kColumns / kTile, kThreads, 0, stream>>>(mine, self.rank, round);
    CHECK(ncclAlltoAll(mine, parts, kCount * sizeof(short) / self.count, ncclInt8, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("gathered", self.rank, all[turn], kCount * self.count);
    print_fingerprint("parts", self.rank, parts, kCount);
  }
  for (short* buffer : {own[0], own[1], all[0], all[1], mine, parts}) CHECK(cudaFree(buffer));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
