// Calls of one group are one exchange and need one placement.
// plan: s1 lsa/split/flag/cta/whole
// plan: s2 lsa/stream/flag/cta/whole
// plan: schedule streams=1
// expect-error: are calls of one group, which runs as one exchange and needs one placement and sync
#include "support.h"

__global__ void fill(float* data, float value) { data[threadIdx.x] = value + threadIdx.x; }
__global__ void add(const float* data, float* sum) { sum[threadIdx.x] += data[threadIdx.x]; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *part, *whole, *sum;
  CHECK(cudaMalloc(&part, 256 * sizeof(float)));
  CHECK(cudaMalloc(&whole, 256 * sizeof(float) * self.count));
  CHECK(cudaMalloc(&sum, 256 * sizeof(float)));
  for (int round = 0; round < 3; round++) {
    CHECK(ncclGroupStart());
    CHECK(ncclSend(part, 256, ncclFloat, (self.rank + 1) % self.count, comm, stream));
    CHECK(ncclRecv(whole, 256, ncclFloat, (self.rank + self.count - 1) % self.count, comm, stream));
    CHECK(ncclGroupEnd());
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(sum));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
