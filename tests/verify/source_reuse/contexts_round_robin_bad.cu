// Chunks go out over two contexts in turn from two buffers; before a buffer is filled again the other context is flushed.
// ranks: 2
// nodes: 2
// expect-finding: source_reuse
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunks = 6;
constexpr int kCount = 64;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void stream_out(ncclDevComm comm, ncclWindow_t window) {
  auto* buffers = static_cast<int*>(ncclGetLocalPointer(window, 0));
  int peer = 1 - comm.rank;
  for (int chunk = 0; chunk < kChunks; chunk++) {
    int slot = chunk % 2;
    if (chunk > 1) ncclGin{comm, 1 - slot}.flush(ncclCoopCta());  // FAULT
    buffers[slot * kCount + threadIdx.x] = chunk * 10 + comm.rank;  // FAULT
    __syncthreads();
    ncclGin{comm, slot}.put(ncclTeamWorld(comm), peer, window, (2 + chunk) * kBytes, window, slot * kBytes, kBytes,
                            ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());  // FAULT
  }
  for (int slot = 0; slot < 2; slot++) {
    ncclGin gin{comm, slot};
    gin.waitSignal(ncclCoopCta(), 0, kChunks / 2);
    gin.flush(ncclCoopCta());
  }
}

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
    stream_out<<<1, kCount>>>(dev_comm, window.handle);
    std::vector<int> got = download(reinterpret_cast<int*>(window.base + 2 * kBytes), kChunks * kCount);
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
