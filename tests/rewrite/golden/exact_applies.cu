// Messages are padded to the largest; the receiver copies out what is there. It knows how
// much that is.
// plan: s1 gin/deferred/barrier/cta/whole
// plan: s2 gin/deferred/barrier/cta/whole
// plan: s3 gin/deferred/barrier/cta/whole
#include "../support.h"

constexpr int kLargest = 4096;

__global__ void produce(float* data, int count, int rank, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (float)(rank * 1000 + i % 97 + round);
}

int count_of(int rank, int round) { return 100 + (rank * 977 + round * 313) % 3000; }

int main(int argc, char** argv) {
  Ranks self(&argc, &argv);
  ncclUniqueId id;
  if (self.rank == 0) CHECK(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, self.count, id, self.rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float *sent, *received, *out, *all;
  CHECK(cudaMalloc(&sent, kLargest * sizeof(float)));
  CHECK(cudaMalloc(&received, kLargest * sizeof(float)));
  CHECK(cudaMalloc(&out, kLargest * sizeof(float)));
  CHECK(cudaMalloc(&all, self.count * kLargest * sizeof(float)));
  const int next = (self.rank + 1) % self.count, last = (self.rank + self.count - 1) % self.count;
  for (int round = 0; round < 10; round++) {
    const int count = count_of(last, round);
    CHECK(cudaMemsetAsync(out, 0, kLargest * sizeof(float), stream));
    produce<<<kLargest / 128, 128, 0, stream>>>(sent, kLargest, self.rank, round);
    CHECK(ncclGroupStart());
    CHECK(ncclSend(sent, kLargest, ncclFloat, next, comm, stream));
    // expect: cuco::comm::receive_at_most(received, count * sizeof(float));
    CHECK(ncclRecv(received, kLargest, ncclFloat, last, comm, stream));
    CHECK(ncclGroupEnd());
    CHECK(cudaMemcpyAsync(out, received, count * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    CHECK(ncclAllGather(out, all, kLargest, ncclFloat, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    print_fingerprint("all", self.rank, all, self.count * kLargest);
  }
  CHECK(cudaFree(sent));
  CHECK(cudaFree(received));
  CHECK(cudaFree(out));
  CHECK(cudaFree(all));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
