// Rows of a field with one row of each neighbour around them, in a ring of ranks: in every step rows at the ends go to
// the neighbours, and a kernel makes the next field of each row and the ones around it. Two fields in one allocation
// take turns.
#include "support.h"

constexpr int kRows = 24, kColumns = 64, kSteps = 5;
constexpr size_t kField = (kRows + 2) * kColumns;

__global__ void begin(int* field, int rank) {
  for (int row = blockIdx.x; row < kRows + 2; row += gridDim.x)
    field[row * kColumns + threadIdx.x] = rank * 31 + row * 7 + threadIdx.x;
}

// A block makes four rows of the next field.
__global__ void step(const int* now, int* next) {
  const int first = 1 + 4 * blockIdx.x, column = threadIdx.x;
  for (int row = first; row < first + 4; row++)
    next[row * kColumns + column] = 2 * now[row * kColumns + column] - now[(row - 1) * kColumns + column] +
                                    now[(row + 1) * kColumns + (column + 1) % kColumns];
}

void exchange(int* field, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  const int up = (self.rank + self.count - 1) % self.count, down = (self.rank + 1) % self.count;
  CHECK(ncclGroupStart());
  CHECK(ncclSend(field + kColumns, kColumns, ncclInt, up, comm, stream));
  CHECK(ncclSend(field + kRows * kColumns, kColumns, ncclInt, down, comm, stream));
  CHECK(ncclRecv(field + (kRows + 1) * kColumns, kColumns, ncclInt, down, comm, stream));
  CHECK(ncclRecv(field, kColumns, ncclInt, up, comm, stream));
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
  int* fields = nullptr;
  CHECK(cudaMalloc(&fields, 2 * kField * sizeof(int)));
  begin<<<8, kColumns, 0, stream>>>(fields, self.rank);
  begin<<<8, kColumns, 0, stream>>>(fields + kField, self.rank);
  for (int i = 0; i < kSteps; i++) {
    int *now = fields + i % 2 * kField, *next = fields + (i + 1) % 2 * kField;
    exchange(now, self, comm, stream);
    step<<<kRows / 4, kColumns, 0, stream>>>(now, next);
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("field", self.rank, fields + kSteps % 2 * kField + kColumns, kRows * kColumns);
  CHECK(cudaFree(fields));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
