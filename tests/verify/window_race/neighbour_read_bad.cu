// Each block reads its neighbour's cells after a barrier of its own block only, so the neighbour may still be writing.
// ranks: 4
// expect-finding: window_race
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kBlocks = 4;
constexpr int kThreads = 64;

__global__ void shift(ncclDevComm comm, ncclSymPtr<float> cells, float* shifted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells.localPtr()[i] = 1000.0f * comm.rank + i;  // FAULT
  __syncthreads();
  shifted[i] = cells.lsaPtr((comm.rank + 1) % comm.nRanks)[i];  // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int count = kBlocks * kThreads;
  Window window(ranks.comm, count * sizeof(float));
  CHECK(cudaMemset(window.base, 0, count * sizeof(float)));
  float* shifted;
  CHECK(cudaMalloc(&shifted, count * sizeof(float)));
  ncclDevCommRequirements requirements{};
  requirements.lsaBarrierCount = kBlocks;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  shift<<<kBlocks, kThreads>>>(dev_comm, ncclSymPtr<float>(window.handle), shifted);
  std::vector<float> got = download(shifted, count);
  long wrong = 0;
  for (int i = 0; i < count; i++) wrong += got[i] != 1000.0f * ((ranks.rank + 1) % ranks.count) + i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(shifted));
  return ranks.verdict(wrong);
}
