// Thread 0 waits for the signal on behalf of its block, and the other threads do not wait for thread 0.
// ranks: 2
// nodes: 2
// expect-finding: missing_fence
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 160;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void send(ncclDevComm comm, ncclSymPtr<float> from, ncclSymPtr<float> to) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, to, from, kCount, ncclGin_SignalInc{0});  // FAULT
  gin.flush(ncclCoopThread());
}

__global__ void use(ncclDevComm comm, ncclSymPtr<float> arrived, float* out) {
  if (threadIdx.x == 0) ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, 1);  // FAULT
  out[threadIdx.x] = 1.0f + arrived.localPtr()[threadIdx.x];                  // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window from(ranks.comm, kBytes), to(ranks.comm, kBytes);
  upload(reinterpret_cast<float*>(from.base), std::vector<float>(kCount, 4.0f * ranks.rank));
  CHECK(cudaMemset(to.base, 0, kBytes));
  float* out;
  CHECK(cudaMalloc(&out, kBytes));
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  send<<<1, 1>>>(dev_comm, ncclSymPtr<float>(from.handle), ncclSymPtr<float>(to.handle));
  use<<<1, kCount>>>(dev_comm, ncclSymPtr<float>(to.handle), out);
  std::vector<float> got = download(out, kCount);
  long wrong = 0;
  for (float value : got) wrong += value != 1.0f + 4.0f * (1 - ranks.rank);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  CHECK(cudaFree(out));
  return ranks.verdict(wrong);
}
