// Exchanges with placement stream take turns on the streams of communication, which have the plan's priority.
// plan: s1 gin/stream/peer-signal/cta/whole
// plan: s2 gin/stream/peer-signal/cta/whole
// plan: schedule streams=2 priority=high
// expect: #include <cuco/comm/overlap_reduce.cuh>
// expect: comm_options = cuco::comm::Options().overlap(2, cuco::comm::Priority::High);
// expect: cuco::comm::all_gather(cuco::comm::gin<1>.on_stream(0).by_message(), part
// expect: cuco::comm::all_reduce(cuco::comm::gin<2>.sum<float>().on_stream(1).by_message(), sum
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
    CHECK(ncclAllGather(part, whole, 256, ncclFloat, comm, stream));
    CHECK(ncclAllReduce(sum, sum, 256, ncclFloat, ncclSum, comm, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(part));
  CHECK(cudaFree(whole));
  CHECK(cudaFree(sum));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}
