// A kernel puts and ends without a flush; the next stage, on another stream behind an event, writes the buffer it sent.
// ranks: 2
// nodes: 2
// expect-finding: source_reuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 256;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void send(ncclDevComm comm, ncclWindow_t window) {
  ncclGin gin{comm, 0};
  gin.put(ncclTeamWorld(comm), 1 - comm.rank, window, kBytes, window, 0, kBytes, ncclGin_SignalInc{0},
          ncclGin_None{}, ncclCoopCta());  // FAULT
}

__global__ void refill(ncclWindow_t window, int value) {
  static_cast<int*>(ncclGetLocalPointer(window, 0))[threadIdx.x] = value;  // FAULT
}

__global__ void receive(ncclDevComm comm) { ncclGin{comm, 0}.waitSignal(ncclCoopThread(), 0, 1); }

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 4096);
    CHECK(cudaMemset(window.base, 0, 4096));
    CHECK(cudaDeviceSynchronize());
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 2;
    requirements.ginCounterCount = 2;
    requirements.ginContextCount = 2;
    requirements.barrierCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    MPI_Barrier(MPI_COMM_WORLD);
    cudaStream_t sending, filling;
    cudaEvent_t sent;
    CHECK(cudaStreamCreateWithFlags(&sending, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&filling, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&sent, cudaEventDisableTiming));
    send<<<1, 64, 0, sending>>>(dev_comm, window.handle);
    CHECK(cudaEventRecord(sent, sending));
    CHECK(cudaStreamWaitEvent(filling, sent, 0));
    refill<<<1, kCount, 0, filling>>>(window.handle, 7);
    receive<<<1, 1, 0, sending>>>(dev_comm);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(sent));
    CHECK(cudaStreamDestroy(filling));
    CHECK(cudaStreamDestroy(sending));
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
