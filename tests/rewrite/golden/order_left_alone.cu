// Loops over ranks that must keep their order: a sum in floating point, offsets that add up on the host, a way out, a
// last writer, a group for each peer. Loops over something else are not spoken of.
// plan: s1 gin/deferred/barrier/cta/whole
// plan: s2 gin/deferred/barrier/cta/whole
// plan: s3 gin/deferred/barrier/cta/whole
// plan: s4 gin/deferred/barrier/cta/whole
// plan: schedule order=local-first
// expect-not: cuco::comm::ranks_in_order<
#include "../support.h"

constexpr int kCount = 500;

__global__ void produce(float* data, int count, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (float)(rank * 100 + i % 89) / 7;
}
__global__ void add(const float* from, float* sum, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sum[i] += from[i];
}
__global__ void keep(const float* from, float* to, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
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
  const int blocks = (kCount + 127) / 128;
  float *sent, *received, *sum, *last, *kept;
  size_t bytes = kCount * self.count * sizeof(float);
  CHECK(cudaMalloc(&sent, bytes));
  CHECK(cudaMalloc(&received, bytes));
  CHECK(cudaMalloc(&sum, kCount * sizeof(float)));
  CHECK(cudaMalloc(&last, kCount * sizeof(float)));
  CHECK(cudaMalloc(&kept, bytes));
  produce<<<blocks * self.count, 128, 0, stream>>>(sent, kCount * self.count, self.rank);
  // expect-note: keeps its order: the body changes `begin`, which outlives an iteration
  size_t begin = 0;
  CHECK(ncclGroupStart());
  for (int peer = 0; peer < self.count; peer++) {
    CHECK(ncclSend(sent + begin, kCount, ncclFloat, peer, comm, stream));
    CHECK(ncclRecv(received + begin, kCount, ncclFloat, peer, comm, stream));
    begin += kCount;
  }
  CHECK(ncclGroupEnd());
  CHECK(cudaMemsetAsync(sum, 0, kCount * sizeof(float), stream));
  // expect-note: keeps its order: an iteration reads what an earlier one wrote to `sum`
  for (int source = 0; source < self.count; source++)
    add<<<blocks, 128, 0, stream>>>(received + source * kCount, sum, kCount);
  // expect-note: keeps its order: what the last iteration leaves in `last` is needed after the loop
  for (int source = 0; source < self.count; source++)
    keep<<<blocks, 128, 0, stream>>>(received + source * kCount, last, kCount);
  // expect-note: keeps its order: `break` ends it early
  for (int source = 0; source < self.count; source++) {
    if (source == 2) break;
    keep<<<blocks, 128, 0, stream>>>(received + source * kCount, kept + source * kCount, kCount);
  }
  // expect-note: keeps its order: ncclSend is not in a group around the loop, so peers meet one after the other
  for (int peer = 0; peer < self.count; peer++) {
    CHECK(ncclGroupStart());
    CHECK(ncclSend(sent + peer * kCount, kCount, ncclFloat, peer, comm, stream));
    CHECK(ncclRecv(received + peer * kCount, kCount, ncclFloat, peer, comm, stream));
    CHECK(ncclGroupEnd());
  }
  for (int part = 0; part < 2; part++) keep<<<1, 128, 0, stream>>>(received + part * 128, kept + part * 128, 128);
  CHECK(cudaStreamSynchronize(stream));
  print_fingerprint("sum", self.rank, sum, kCount);
  print_fingerprint("last", self.rank, last, kCount);
  for (float* buffer : {sent, received}) CHECK(cudaFree(buffer));
  for (float* buffer : {sum, last, kept}) CHECK(cudaFree(buffer));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
