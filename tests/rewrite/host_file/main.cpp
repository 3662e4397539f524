// Host code in a .cpp file; the kernels are in kernels.cu.
#include "host_file/kernels.h"
#include "support.h"

constexpr int kCount = 1000;

static void pass_on(const float* from, float* to, const Ranks& self, ncclComm_t comm, cudaStream_t stream) {
  CHECK(ncclGroupStart());
  CHECK(ncclSend(from, kCount, ncclFloat, (self.rank + 1) % self.count, comm, stream));
  CHECK(ncclRecv(to, kCount, ncclFloat, (self.rank + self.count - 1) % self.count, comm, stream));
  CHECK(ncclGroupEnd());
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  float *own, *other, *sum;
  CHECK(cudaMalloc(&own, kCount * sizeof(float)));
  CHECK(cudaMalloc(&other, kCount * sizeof(float)));
  CHECK(cudaMalloc(&sum, kCount * sizeof(float)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, stream));
  make(own, kCount, self.rank, stream);
  pass_on(own, other, self, comm, stream);
  add(own, other, kCount, stream);
  CHECK(ncclAllReduce(own, sum, kCount, ncclFloat, ncclSum, comm, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  print_fingerprint("sum", self.rank, sum, kCount);
  CHECK(cudaFree(own));
  CHECK(cudaFree(other));
  CHECK(cudaFree(sum));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
