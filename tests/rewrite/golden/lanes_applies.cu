// Exchanges with placement stream take turns on the streams of communication, which have the plan's priority.
// plan: s1 gin/stream/peer-signal/cta/whole
// plan: s2 gin/stream/peer-signal/cta/whole
// plan: schedule streams=2 priority=high
// expect: constexpr int kLanes = 2;
// expect: for (cudaStream_t* stream : {&own.back().out, &own.back().in})\n      if (cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, greatest) != cudaSuccess)
// expect: result = open_lanes(comm);
// expect: close_lanes(comm);
// expect: device_comm::all_gather({s1_all_gather, 1, device_comm::Reach::Gin, {device_comm::Placement::Stream, 0, true}}, part
// expect: device_comm::all_reduce({s2_all_reduce_for, 1, device_comm::Reach::Gin, {device_comm::Placement::Stream, 1, true}}, sum
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
