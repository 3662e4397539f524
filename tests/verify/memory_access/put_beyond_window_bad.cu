// The slots are counted from the rank after one's own, so the last rank's put lands behind the registered window.
// ranks: 2
// nodes: 2
// expect-finding: memory_access
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kCount = 64;
constexpr size_t kSlotBytes = kCount * sizeof(int);

// The window starts with the source slot; one receive slot for each rank follows.
__device__ size_t slot_of(int source) { return (source + 2) * kSlotBytes; }

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* out) {
  ncclGin gin{comm, 0};
  int peer = 1 - comm.rank;
  size_t target = slot_of(comm.rank);
  if (threadIdx.x == 0) {
    gin.put(ncclTeamWorld(comm), peer, window, target, window, 0, kSlotBytes, ncclGin_SignalInc{0});  // FAULT
    gin.flush(ncclCoopThread());
  }
  gin.waitSignal(ncclCoopCta(), 0, 1);
  auto* received = static_cast<const int*>(ncclGetLocalPointer(window, slot_of(peer)));
  out[threadIdx.x] = received[threadIdx.x];  // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, (1 + ranks.count) * kSlotBytes);
    upload(reinterpret_cast<int*>(window.base), std::vector<int>(kCount, 40 + ranks.rank));
    int* out;
    CHECK(cudaMalloc(&out, kSlotBytes));
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    exchange<<<1, kCount>>>(dev_comm, window.handle, out);
    CHECK(cudaDeviceSynchronize());
    for (int value : download(out, kCount)) wrong += value != 41 - ranks.rank;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
    CHECK(cudaFree(out));
  }
  return ranks.verdict(wrong);
}
