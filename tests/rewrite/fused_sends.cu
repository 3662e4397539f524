// Three programs in one, so that one traced run is for all of them. Fields with rows of their neighbours around them, in a
// ring of ranks and with two fields that take turns; every rank sends every other another number of elements, none to
// some; a pipeline in which each rank works on what the one before it sends.
#include "support.h"

constexpr int kRows = 16, kColumns = 64, kSteps = 5;
constexpr size_t kField = (kRows + 2) * kColumns;

__global__ void begin(int* field, int rank) {
  for (int row = blockIdx.x; row < kRows + 2; row += gridDim.x)
    field[row * kColumns + threadIdx.x] = rank * 31 + row * 7 + threadIdx.x;
}
// A block makes two rows of the next field.
__global__ void step(const int* now, int* next) {
  const int first = 1 + 2 * blockIdx.x, column = threadIdx.x;
  for (int row = first; row < first + 2; row++)
    next[row * kColumns + column] = 2 * now[row * kColumns + column] - now[(row - 1) * kColumns + column] +
                                    now[(row + 1) * kColumns + (column + 1) % kColumns];
}

void exchange_rows(int* field, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  const int up = (self.rank + self.count - 1) % self.count, down = (self.rank + 1) % self.count;
  CHECK(ncclGroupStart());
  CHECK(ncclSend(field + kColumns, kColumns, ncclInt, up, comm, stream));
  CHECK(ncclSend(field + kRows * kColumns, kColumns, ncclInt, down, comm, stream));
  CHECK(ncclRecv(field + (kRows + 1) * kColumns, kColumns, ncclInt, down, comm, stream));
  CHECK(ncclRecv(field, kColumns, ncclInt, up, comm, stream));
  CHECK(ncclGroupEnd());
}

void step_fields(int* fields, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  begin<<<8, kColumns, 0, stream>>>(fields, self.rank);
  begin<<<8, kColumns, 0, stream>>>(fields + kField, self.rank);
  for (int i = 0; i < kSteps; i++) {
    int *now = fields + i % 2 * kField, *next = fields + (i + 1) % 2 * kField;
    exchange_rows(now, self, comm, stream);
    step<<<kRows / 2, kColumns, 0, stream>>>(now, next);
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("field", self.rank, fields + kSteps % 2 * kField + kColumns, kRows * kColumns);
}

constexpr int kUnit = 129, kUnitsMax = 3;

__global__ void produce(float* data, int count, int rank, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (float)(rank * 1000 + i % 97 + round);
}

int count_between(int from, int to, int round) { return (from * 37 + to * 11 + round * 5) % 4 * kUnit; }

void exchange_all(const float* send, float* receive, int round, const Ranks& self, ncclComm_t comm,
                  cudaStream_t stream) {
  size_t sent = 0, received = 0;
  CHECK(ncclGroupStart());
  for (int peer = 0; peer < self.count; peer++) {
    const int to = count_between(self.rank, peer, round), from = count_between(peer, self.rank, round);
    if (to > 0) CHECK(ncclSend(send + sent, to, ncclFloat, peer, comm, stream));
    if (from > 0) CHECK(ncclRecv(receive + received, from, ncclFloat, peer, comm, stream));
    sent += to, received += from;
  }
  CHECK(ncclGroupEnd());
}

void trade(float* send, float* receive, size_t capacity, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  for (int round = 0; round < 3; round++) {
    int count = 0;
    for (int peer = 0; peer < self.count; peer++) count += count_between(self.rank, peer, round);
    CHECK(cudaMemsetAsync(receive, 0, capacity * sizeof(float), stream));
    produce<<<(count + 63) / 64 + 1, 64, 0, stream>>>(send, count, self.rank, round);
    exchange_all(send, receive, round, self, comm, stream);
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("received", self.rank, receive, capacity);
  }
}

constexpr int kCount = 1500, kBatches = 4;

__global__ void make(double* data, int count, int batch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = i * 0.5 + batch;
}
__global__ void stage(const double* in, double* out, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] * 2 + rank;
}

void run_pipeline(double* in, double* out, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  for (int batch = 0; batch < kBatches; batch++) {
    if (self.rank == 0)
      make<<<12, 128, 0, stream>>>(in, kCount, batch);
    else
      CHECK(ncclRecv(in, kCount, ncclDouble, self.rank - 1, comm, stream));
    stage<<<12, 128, 0, stream>>>(in, out, kCount, self.rank);
    if (self.rank + 1 < self.count) CHECK(ncclSend(out, kCount, ncclDouble, self.rank + 1, comm, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("out", self.rank, out, kCount);
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
  float *send = nullptr, *receive = nullptr;
  double *in = nullptr, *out = nullptr;
  const size_t capacity = (size_t)kUnitsMax * kUnit * self.count;
  CHECK(cudaMalloc(&fields, 2 * kField * sizeof(int)));
  CHECK(cudaMalloc(&send, capacity * sizeof(float)));
  CHECK(cudaMalloc(&receive, capacity * sizeof(float)));
  CHECK(cudaMalloc(&in, kCount * sizeof(double)));
  CHECK(cudaMalloc(&out, kCount * sizeof(double)));
  step_fields(fields, self, comm, stream);
  trade(send, receive, capacity, self, comm, stream);
  run_pipeline(in, out, self, comm, stream);
  CHECK(cudaFree(fields));
  CHECK(cudaFree(send));
  CHECK(cudaFree(receive));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(ncclCommDestroy(comm));
  CHECK(cudaStreamDestroy(stream));
}
