// What comes from the rank before goes through two kernels, one block a row, and on to the rank after: ROWS COLUMNS from
// the command line. With a third argument the second kernel has sixteen blocks that take turns, so that a block owns
// one run of bytes only where there are as many rows.
#include "support.h"

constexpr int kBlocks = 16, kRounds = 3;

__global__ void widen(const short* came, int* wide, int columns) {
  came += (size_t)blockIdx.x * columns, wide += (size_t)blockIdx.x * columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) wide[i] = came[i] * 3 + i + blockIdx.x;
}

struct Row {
  int columns, shift;
  float scale;
};
__device__ void narrow_row(const int* wide, short* out, int row, const Row& of) {
  for (int i = threadIdx.x; i < of.columns; i += blockDim.x) {
    size_t at = (size_t)row * of.columns + i;
    out[at] = (short)((int)(wide[at] * of.scale) % 9973 + of.shift);
  }
}
__global__ void narrow(const int* wide, short* out, Row row) { narrow_row(wide, out, blockIdx.x, row); }
__global__ void narrow_in_turns(const int* wide, short* out, Row row, int rows) {
  for (int i = blockIdx.x; i < rows; i += kBlocks) narrow_row(wide, out, i, row);
}

struct Work {
  short *came, *out;
  int* wide;
  int rows, columns;
  bool in_turns;

  size_t count() const { return (size_t)rows * columns; }
};

void compute(const Work& work, int round, cudaStream_t stream) {
  widen<<<work.rows, 64, 0, stream>>>(work.came, work.wide, work.columns);
  const Row row = {work.columns, round, 0.5f};
  if (work.in_turns)
    narrow_in_turns<<<kBlocks, 64, 0, stream>>>(work.wide, work.out, row, work.rows);
  else
    narrow<<<work.rows, 64, 0, stream>>>(work.wide, work.out, row);
}

void pass_on(const Work& work, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  int to = (self.rank + 1) % self.count, from = (self.rank + self.count - 1) % self.count;
  CHECK(ncclGroupStart());
  CHECK(ncclSend(work.out, work.count() * sizeof(short), ncclInt8, to, comm, stream));
  CHECK(ncclRecv(work.came, work.count() * sizeof(short), ncclInt8, from, comm, stream));
  CHECK(ncclGroupEnd());
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
  Work work = {};
  work.rows = std::atoi(argv[1]), work.columns = std::atoi(argv[2]), work.in_turns = argc > 3;
  CHECK(cudaMalloc(&work.came, work.count() * sizeof(short)));
  CHECK(cudaMalloc(&work.out, work.count() * sizeof(short)));
  CHECK(cudaMalloc(&work.wide, work.count() * sizeof(int)));
  CHECK(cudaMemset(work.came, self.rank + 1, work.count() * sizeof(short)));
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < kRounds; round++) {
    compute(work, round, stream);
    pass_on(work, self, comm, stream);
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("came", self.rank, work.came, work.count());
  CHECK(cudaFree(work.came));
  CHECK(cudaFree(work.out));
  CHECK(cudaFree(work.wide));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
