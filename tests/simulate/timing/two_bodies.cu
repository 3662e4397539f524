// Two warps of a block compute in functions of their own: threads of the first wait in theirs at a barrier when the
// second comes to its. Then the block tells the next rank.
#include <nccl_device.h>

#include "support.h"

constexpr int kRounds = 64;

__device__ void add_up(float* values) {
  for (int i = 0; i < kRounds; i++) {
    values[threadIdx.x] += values[(threadIdx.x + i) % 32];
    __syncthreads();
  }
}

__device__ void multiply(float* values) {
  for (int i = 0; i < kRounds; i++) {
    values[threadIdx.x] *= values[32 + (threadIdx.x + i) % 32];
    __syncthreads();
  }
}

__global__ void compute_and_tell(ncclDevComm comm, float* values) {
  if (threadIdx.x < 32)
    add_up(values + 64 * blockIdx.x);
  else
    multiply(values + 64 * blockIdx.x);
  __syncthreads();
  if (threadIdx.x > 0) return;
  ncclGin(comm, 0).signal(ncclTeamWorld(comm), (comm.rank + 1) % comm.nRanks, ncclGin_SignalInc{0});
  if (blockIdx.x == 0) ncclGin(comm, 0).waitSignal(ncclCoopThread(), 0, gridDim.x);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  constexpr int kBlocks = 8192;
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  float* values;
  CHECK(cudaMalloc(&values, sizeof(float) * 64 * kBlocks));
  CHECK(cudaMemset(values, 0, sizeof(float) * 64 * kBlocks));
  compute_and_tell<<<kBlocks, 64>>>(dev_comm, values);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(values));
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(0);
}
