// A pipeline without groups: each rank receives from the one before, works, and sends on; the first and last do less.
#include "support.h"

__global__ void make(double* data, int count, int batch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = i * 0.5 + batch;
}
__global__ void stage(const double* in, double* out, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] * 2 + rank;
}

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  constexpr int kCount = 1500, kBatches = 12;
  double *in, *out;
  CHECK(cudaMalloc(&in, kCount * sizeof(double)));
  CHECK(cudaMalloc(&out, kCount * sizeof(double)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, stream));
  for (int batch = 0; batch < kBatches; batch++) {
    if (self.rank == 0)
      make<<<12, 128, 0, stream>>>(in, kCount, batch);
    else
      CHECK(ncclRecv(in, kCount, ncclDouble, self.rank - 1, comm, stream));
    stage<<<12, 128, 0, stream>>>(in, out, kCount, self.rank);
    if (self.rank + 1 < self.count) CHECK(ncclSend(out, kCount, ncclDouble, self.rank + 1, comm, stream));
  }
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  print_fingerprint("out", self.rank, out, kCount);
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
