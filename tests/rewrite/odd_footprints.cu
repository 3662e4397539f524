// Kernels whose blocks do not write what a call sends one behind the other, each with a call of its own. A comment
// before the call says why the kernel cannot send it.
#include "support.h"

constexpr int kRows = 16, kColumns = 32;
constexpr size_t kCount = kRows * kColumns;

__device__ void fill_row(float* out, int row, int seed) {
  out[row * kColumns + threadIdx.x % kColumns] = (float)(row * 3 + seed);
}

__global__ void to_drawn_rows(float* out, const int* drawn, int seed) { fill_row(out, drawn[blockIdx.x], seed); }

__global__ void up_to_drawn_row(float* out, const int* drawn, int seed) {
  for (int row = blockIdx.x; row < kRows - drawn[0]; row += gridDim.x) fill_row(out, row, seed);
}

__global__ void where_drawn_is_odd(float* out, const int* drawn, int seed) {
  if (drawn[blockIdx.x] % 2 == 1) fill_row(out, blockIdx.x, seed);
}

// Blocks take the next row from a counter.
__global__ void as_they_come(float* out, int* next, int seed) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(next, 1) % kRows;
  __syncthreads();
  fill_row(out, row, seed);
}

__global__ void add_to_all(float* out, int seed) {
  for (int row = 0; row < kRows; row++) atomicAdd(&out[row * kColumns + threadIdx.x], (float)seed);
}

__global__ void with_rows_around(float* out, int seed) {
  for (int row = 2 * blockIdx.x; row < 2 * blockIdx.x + 3; row++)
    atomicExch(&out[row % kRows * kColumns + threadIdx.x], (float)seed);
}

__global__ void in_another_order(float* out, int seed) { fill_row(out, blockIdx.x * 5 % kRows, seed); }

__global__ void more_from_block_to_block(float* out, int seed) {
  int first = blockIdx.x * (blockIdx.x + 1) / 2;
  for (int row = first; row <= first + blockIdx.x && row < kRows; row++) fill_row(out, row, seed);
}

// One warp goes up, the other down.
__global__ void by_warp(float* out, int seed) {
  int row = threadIdx.x < 32 ? blockIdx.x : kRows - 1 - blockIdx.x;
  fill_row(out, row, seed);
}

__global__ void with_a_rest(float* out, int seed) {
  for (int row = 3 * blockIdx.x; row < 3 * blockIdx.x + 3 && row < kRows; row++) fill_row(out, row, seed);
}

__global__ void half_of_it(float* out, int seed) { fill_row(out, blockIdx.x, seed); }

__global__ void with_what_came(float* out, const float* came, int seed) {
  fill_row(out, blockIdx.x, seed + (int)came[blockIdx.x]);
}

__global__ void of_any_size(float* out, int rows, int seed) {
  for (int row = rows * blockIdx.x; row < rows * (blockIdx.x + 1); row++) fill_row(out, row, seed);
}

struct Out {
  float* rows;
  int seed;
};
__global__ void into_structure(Out out) { fill_row(out.rows, blockIdx.x, out.seed); }

__global__ void before_it(float* base, int seed) { fill_row(base + kCount, blockIdx.x, seed); }

__global__ void elsewhere(float* other, int seed) { fill_row(other, blockIdx.x, seed); }

struct Run {
  float *own, *all, *other;
  int *drawn, *next;
  ncclComm_t comm;
  cudaStream_t stream;
};

void gather_drawn(const Run& run, int seed) {
  float *own = run.own, *all = run.all;
  cudaStream_t stream = run.stream;
  to_drawn_rows<<<kRows, kColumns, 0, stream>>>(own, run.drawn, seed);
  // refused: blocks of to_drawn_rows write other bytes with other inputs
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  up_to_drawn_row<<<4, kColumns, 0, stream>>>(own, run.drawn, seed);
  // refused: blocks of up_to_drawn_row write other bytes with other inputs
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  where_drawn_is_odd<<<kRows, kColumns, 0, stream>>>(own, run.drawn, seed);
  // refused: blocks of where_drawn_is_odd write other bytes with other inputs
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  as_they_come<<<kRows, kColumns, 0, stream>>>(own, run.next, seed);
  // refused: blocks of as_they_come write other bytes when blocks run in another order
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
}

void gather_overlapping(const Run& run, int seed) {
  float *own = run.own, *all = run.all;
  cudaStream_t stream = run.stream;
  add_to_all<<<4, kColumns, 0, stream>>>(own, seed);
  // refused: no dimension of the grid of add_to_all
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  with_rows_around<<<kRows / 2, kColumns, 0, stream>>>(own, seed);
  // refused: no dimension of the grid of with_rows_around
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  with_what_came<<<kRows, kColumns, 0, stream>>>(own, all, seed);
  // refused: with_what_came touches what the call receives into
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
}

void gather_irregular(const Run& run, int seed) {
  float *own = run.own, *all = run.all;
  cudaStream_t stream = run.stream;
  in_another_order<<<kRows, kColumns, 0, stream>>>(own, seed);
  // refused: no dimension of the grid of in_another_order
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  more_from_block_to_block<<<6, kColumns, 0, stream>>>(own, seed);
  // refused: no dimension of the grid of more_from_block_to_block
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  by_warp<<<kRows / 2, 64, 0, stream>>>(own, seed);
  // refused: no dimension of the grid of by_warp
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  with_a_rest<<<6, kColumns, 0, stream>>>(own, seed);
  // refused: no dimension of the grid of with_a_rest
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
}

void gather_of_other_sizes(const Run& run, int rank, int seed) {
  float *own = run.own, *all = run.all;
  cudaStream_t stream = run.stream;
  of_any_size<<<rank == 0 ? kRows / 2 : kRows, kColumns, 0, stream>>>(own, rank == 0 ? 2 : 1, seed);
  // refused: the kernel before the call is not the same, or not cut alike, on all ranks
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  half_of_it<<<kRows / 2, kColumns, 0, stream>>>(own, seed);
  half_of_it<<<kRows / 2, kColumns, 0, stream>>>(own + kCount / 2, seed);
  // refused: no dimension of the grid of half_of_it
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
}

void gather_from_elsewhere(const Run& run, int seed) {
  float *own = run.own, *all = run.all;
  cudaStream_t stream = run.stream;
  into_structure<<<kRows, kColumns, 0, stream>>>(Out{own, seed});
  // refused: into_structure gets the place where the messages begin in a structure
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
  before_it<<<kRows, kColumns, 0, stream>>>(run.other, seed);
  // refused: before_it gets no pointer to where the messages begin
  CHECK(ncclAllGather(run.other + kCount, all, kCount, ncclFloat, run.comm, stream));
  elsewhere<<<kRows, kColumns, 0, stream>>>(run.other, seed);
  // refused: elsewhere, which comes before the call, writes nothing of what it sends
  CHECK(ncclAllGather(own, all, kCount, ncclFloat, run.comm, stream));
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  Run run{};
  CHECK(ncclCommInitRank(&run.comm, self.count, id, self.rank));
  CHECK(cudaStreamCreate(&run.stream));
  CHECK(cudaMalloc(&run.own, kCount * sizeof(float)));
  CHECK(cudaMalloc(&run.all, kCount * self.count * sizeof(float)));
  CHECK(cudaMalloc(&run.other, 2 * kCount * sizeof(float)));
  CHECK(cudaMalloc(&run.drawn, kRows * sizeof(int)));
  CHECK(cudaMalloc(&run.next, sizeof(int)));
  CHECK(cudaMemset(run.own, 0, kCount * sizeof(float)));
  CHECK(cudaMemset(run.all, 0, kCount * self.count * sizeof(float)));
  CHECK(cudaMemset(run.next, 0, sizeof(int)));
  std::vector<int> drawn(kRows);
  for (int i = 0; i < kRows; i++) drawn[i] = i;
  for (int i = kRows - 1; i > 0; i--) std::swap(drawn[i], drawn[rand() % (i + 1)]);
  CHECK(cudaMemcpy(run.drawn, drawn.data(), kRows * sizeof(int), cudaMemcpyHostToDevice));
  gather_drawn(run, self.rank);
  gather_overlapping(run, self.rank);
  gather_irregular(run, self.rank);
  gather_of_other_sizes(run, self.rank, self.rank);
  gather_from_elsewhere(run, self.rank);
  CHECK(cudaStreamSynchronize(run.stream));
  print_fingerprint("gathered", self.rank, run.all, kCount * self.count);
  CHECK(cudaFree(run.own));
  CHECK(cudaFree(run.all));
  CHECK(cudaFree(run.other));
  CHECK(cudaFree(run.drawn));
  CHECK(cudaFree(run.next));
  CHECK(ncclCommDestroy(run.comm));
  CHECK(cudaStreamDestroy(run.stream));
}
