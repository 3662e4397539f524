// Rows of a matrix are computed by one rank after the other and given to all. With FORM 1 all ranks compute and one of
// them is heard, in place.
#include "support.h"

#ifndef FORM
#define FORM 0
#endif

constexpr int kRows = 18, kColumns = 40;
constexpr size_t kCount = kRows * kColumns;

__global__ void fill(double* out, int rank, int round) {
  int at = blockIdx.x * kColumns + threadIdx.x;
  if (threadIdx.x < kColumns) out[at] = rank * 1000.5 + at * 3 - round;
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
  double *own = nullptr, *heard = nullptr;
  CHECK(cudaMalloc(&own, kCount * sizeof(double)));
  CHECK(cudaMalloc(&heard, kCount * sizeof(double)));
  for (int round = 0; round < 3; round++) {
    int root = (round + 1) % self.count;
#if FORM == 0
    if (self.rank == root) fill<<<kRows, 64, 0, stream>>>(own, self.rank, round);
    CHECK(ncclBroadcast(own, heard, kCount, ncclDouble, root, comm, stream));
#else
    fill<<<kRows, 64, 0, stream>>>(heard, self.rank, round);
    CHECK(ncclBroadcast(heard, heard, kCount, ncclDouble, root, comm, stream));
#endif
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("heard", self.rank, heard, kCount);
  }
  CHECK(cudaFree(own));
  CHECK(cudaFree(heard));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
