// What comes from the rank before goes through three kernels and on to the rank after, twice in every round through the
// same memory in between. The second kernel looks at neighbours, so its slices need more than one slice of the first;
// a table that is copied anew in every round is read by all blocks. SHAPE 1 lets the second kernel count with atomic
// operations, so that it runs whole; SHAPE 2 lets it read from the other end, so that its slices wait for everything;
// SHAPE 3 lets the second time go on with what the first has made.
#include "support.h"

#ifndef SHAPE
#define SHAPE 0
#endif

constexpr int kRows = 48, kColumns = 64, kHalves = 2;
constexpr size_t kCount = kRows * kColumns;

__global__ void widen(const short* came, const int* table, int* wide) {
  size_t at = blockIdx.x * kColumns + threadIdx.x;
  wide[at] = came[at] + table[(at + threadIdx.x) % kColumns];
}

__global__ void smooth(const int* wide, int* smoothed, int* counted) {
  for (int row = blockIdx.y * 4; row < (int)blockIdx.y * 4 + 4; row++) {
    int from = SHAPE == 2 ? kRows - 1 - row : row;
    int above = from > 0 ? from - 1 : 0, below = from + 1 < kRows ? from + 1 : from;
    int column = blockIdx.x * 32 + threadIdx.x;
    smoothed[row * kColumns + column] = wide[above * kColumns + column] + wide[from * kColumns + column] +
                                        wide[below * kColumns + column];
  }
  if (SHAPE == 1) atomicAdd(counted, 1);
}

__global__ void narrow(const int* smoothed, short* out) {
  size_t at = blockIdx.x * kColumns + threadIdx.x;
  out[at] = (short)(smoothed[at] % 9973);
}

struct Memory {
  short *came, *out;
  int *wide, *smoothed, *table, *counted;
};

void work_on(const Memory& memory, int half, cudaStream_t stream) {
  const short* came = SHAPE == 3 && half > 0 ? memory.out : memory.came + half * kCount;
  widen<<<kRows, kColumns, 0, stream>>>(came, memory.table, memory.wide);
  smooth<<<dim3(kColumns / 32, kRows / 4), 32, 0, stream>>>(memory.wide, memory.smoothed, memory.counted);
  narrow<<<kRows, kColumns, 0, stream>>>(memory.smoothed, memory.out + half * kCount);
}

void pass_on(const Memory& memory, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  int to = (self.rank + 1) % self.count, from = (self.rank + self.count - 1) % self.count;
  CHECK(ncclGroupStart());
  for (int half = 0; half < kHalves; half++) {
    CHECK(ncclSend(memory.out + half * kCount, kCount * sizeof(short), ncclInt8, to, comm, stream));
    CHECK(ncclRecv(memory.came + half * kCount, kCount * sizeof(short), ncclInt8, from, comm, stream));
  }
  CHECK(ncclGroupEnd());
}

template <typename T>
void make(T** pointer, size_t count) {
  CHECK(cudaMalloc(pointer, count * sizeof(T)));
  CHECK(cudaMemset(*pointer, 1, count * sizeof(T)));
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
  Memory memory;
  CHECK(cudaMalloc(&memory.came, kHalves * kCount * sizeof(short)));
  CHECK(cudaMalloc(&memory.out, kHalves * kCount * sizeof(short)));
  CHECK(cudaMemset(memory.came, 1, kHalves * kCount * sizeof(short)));
  make(&memory.wide, kCount);
  make(&memory.smoothed, kCount);
  make(&memory.table, kColumns);
  make(&memory.counted, 1);
  static int tables[3][kColumns];
  CHECK(cudaDeviceSynchronize());
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < kColumns; i++) tables[round][i] = (i * 7 + round + self.rank) % 13;
    CHECK(cudaMemcpyAsync(memory.table, tables[round], sizeof(tables[round]), cudaMemcpyHostToDevice, stream));
    for (int half = 0; half < kHalves; half++) work_on(memory, half, stream);
    pass_on(memory, self, comm, stream);
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("came", self.rank, memory.came, kHalves * kCount);
  CHECK(cudaFree(memory.came));
  CHECK(cudaFree(memory.out));
  CHECK(cudaFree(memory.wide));
  CHECK(cudaFree(memory.smoothed));
  CHECK(cudaFree(memory.table));
  CHECK(cudaFree(memory.counted));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
