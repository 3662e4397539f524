// One kernel fills what several calls take. FORM 0: it is launched before an all-gather and before an all-reduce, with
// other grids and values for its template. FORM 1: one launch writes what both take. FORM 2: one launch in the source
// comes before either in turn.
#include "support.h"

#ifndef FORM
#define FORM 0
#endif

constexpr int kColumns = 96;

template <int kRows>
__global__ void fill(int* out, int* more, int seed) {
  for (int row = kRows * blockIdx.x; row < kRows * (blockIdx.x + 1); row++) {
    int at = row * kColumns + threadIdx.x;
    out[at] = at * 3 + seed;
    if (more) more[at] = at * 5 - seed;
  }
}

constexpr int kGatheredRows = 12, kAddedRows = FORM == 1 ? kGatheredRows : 16;
constexpr size_t kGathered = kGatheredRows * kColumns, kAdded = kAddedRows * kColumns;

void fill_either(int* out, int rows, int seed, cudaStream_t stream) {
  fill<1><<<rows, kColumns, 0, stream>>>(out, nullptr, seed);
}

struct Buffers {
  int *own, *all, *mine, *sum;
};

void step(const Buffers& at, int seed, ncclComm_t comm, cudaStream_t stream) {
#if FORM == 0
  fill<2><<<kGatheredRows / 2, kColumns, 0, stream>>>(at.own, nullptr, seed);
#elif FORM == 1
  fill<1><<<kGatheredRows, kColumns, 0, stream>>>(at.own, at.mine, seed);
#else
  fill_either(at.own, kGatheredRows, seed, stream);
#endif
  CHECK(ncclAllGather(at.own, at.all, kGathered, ncclInt, comm, stream));
#if FORM == 0
  fill<1><<<kAddedRows, kColumns, 0, stream>>>(at.mine, nullptr, seed + 7);
#elif FORM == 2
  fill_either(at.mine, kAddedRows, seed + 7, stream);
#endif
  CHECK(ncclAllReduce(at.mine, at.sum, kAdded, ncclInt, ncclSum, comm, stream));
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
  Buffers at{};
  CHECK(cudaMalloc(&at.own, kGathered * sizeof(int)));
  CHECK(cudaMalloc(&at.all, kGathered * self.count * sizeof(int)));
  CHECK(cudaMalloc(&at.mine, kAdded * sizeof(int)));
  CHECK(cudaMalloc(&at.sum, kAdded * sizeof(int)));
  CHECK(cudaMemset(at.mine, 0, kAdded * sizeof(int)));
  for (int round = 0; round < 3; round++) {
    step(at, self.rank * 31 + round, comm, stream);
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("gathered", self.rank, at.all, kGathered * self.count);
    print_fingerprint("added", self.rank, at.sum, kAdded);
  }
  CHECK(cudaFree(at.own));
  CHECK(cudaFree(at.all));
  CHECK(cudaFree(at.mine));
  CHECK(cudaFree(at.sum));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
