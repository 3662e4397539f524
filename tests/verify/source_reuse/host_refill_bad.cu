// The copy of the next batch waits for the sending kernel by an event, but that kernel did not wait for the NIC.
// ranks: 2
// nodes: 2
// expect-finding: source_reuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kBatches = 3;
constexpr int kCount = 100;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void send(ncclDevComm comm, ncclWindow_t batch, ncclWindow_t inbox, int index) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, inbox, index * kBytes, batch, 0, kBytes, ncclGin_SignalInc{0});  // FAULT
}

__global__ void wait_for_all(ncclDevComm comm) {
  ncclGin gin{comm, 0};
  gin.waitSignal(ncclCoopThread(), 0, kBatches);
  gin.flush(ncclCoopThread());
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Window batch(ranks.comm, kBytes), inbox(ranks.comm, kBatches * kBytes);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = 1;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  float* pinned;
  CHECK(cudaMallocHost(&pinned, kBatches * kBytes));
  for (int i = 0; i < kBatches * kCount; i++) pinned[i] = 1000.0f * ranks.rank + i;
  cudaStream_t copies, kernels;
  CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  cudaEvent_t loaded, sent;
  CHECK(cudaEventCreateWithFlags(&loaded, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&sent, cudaEventDisableTiming));
  for (int i = 0; i < kBatches; i++) {
    CHECK(cudaMemcpyAsync(batch.base, pinned + i * kCount, kBytes, cudaMemcpyHostToDevice, copies));  // FAULT
    CHECK(cudaEventRecord(loaded, copies));
    CHECK(cudaStreamWaitEvent(kernels, loaded, 0));
    send<<<1, 1, 0, kernels>>>(dev_comm, batch.handle, inbox.handle, i);
    CHECK(cudaEventRecord(sent, kernels));
    CHECK(cudaStreamWaitEvent(copies, sent, 0));
  }
  wait_for_all<<<1, 1, 0, kernels>>>(dev_comm);
  CHECK(cudaStreamSynchronize(kernels));
  std::vector<float> got = download(reinterpret_cast<float*>(inbox.base), kBatches * kCount);
  long wrong = 0;
  for (int i = 0; i < kBatches * kCount; i++) wrong += got[i] != 1000.0f * (1 - ranks.rank) + i;
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(cudaEventDestroy(loaded));
  CHECK(cudaEventDestroy(sent));
  CHECK(cudaStreamDestroy(copies));
  CHECK(cudaStreamDestroy(kernels));
  CHECK(cudaFreeHost(pinned));
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
