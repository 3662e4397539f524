// Loops over peers and over sources begin with the next rank. The number of ranks goes by another name in the function
// that runs over sources, and scratch is used again by every source.
// plan: s1 gin/deferred/barrier/cta/whole
// plan: s2 gin/deferred/barrier/cta/whole
// plan: schedule order=remote-first
#include "../support.h"

constexpr int kCount = 1000;

__global__ void produce(float* data, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (float)(rank * 100 + i % 89);
}
__global__ void widen(const float* from, float* scratch, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) scratch[i] = 2 * from[i];
}
__global__ void store(const float* scratch, float* to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = scratch[count - 1 - i] + 1;
}

// expect: for (const int source : cuco::comm::ranks_in_order<int>(sources, cuco::comm::Order::RemoteFirst)) work_on(
void work_on(size_t begin, const float* received, float* scratch, float* out, cudaStream_t stream) {
  widen<<<(kCount + 127) / 128, 128, 0, stream>>>(received + begin, scratch, kCount);
  store<<<(kCount + 127) / 128, 128, 0, stream>>>(scratch, out + begin, kCount);
}
void work_on_all(int sources, const float* received, float* scratch, float* out, cudaStream_t stream) {
  for (int source = 0; source < sources; source++) work_on(source * kCount, received, scratch, out, stream);
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
  float *sent, *received, *scratch, *out;
  size_t bytes = kCount * self.count * sizeof(float);
  CHECK(cudaMalloc(&sent, bytes));
  CHECK(cudaMalloc(&received, bytes));
  CHECK(cudaMalloc(&scratch, kCount * sizeof(float)));
  CHECK(cudaMalloc(&out, bytes));
  for (int round = 0; round < 2; round++) {
    produce<<<(kCount * self.count + 127) / 128, 128, 0, stream>>>(sent, kCount * self.count, self.rank + round);
    CHECK(ncclGroupStart());
    // expect: for (const int peer : cuco::comm::ranks_in_order<int>(self.count, cuco::comm::Order::RemoteFirst)) {
    for (int peer = 0; peer < self.count; peer++) {
      CHECK(ncclSend(sent + peer * kCount, kCount, ncclFloat, peer, comm, stream));
      CHECK(ncclRecv(received + peer * kCount, kCount, ncclFloat, peer, comm, stream));
    }
    CHECK(ncclGroupEnd());
    work_on_all(self.count, received, scratch, out, stream);
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("out", self.rank, out, kCount * self.count);
  }
  for (float* buffer : {sent, received}) CHECK(cudaFree(buffer));
  for (float* buffer : {scratch, out}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
