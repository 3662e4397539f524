// Two spans of warps serve one peer each at the same time, with ids of their own.
// ranks: 3
// expect: no findings
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kElements = 128;
constexpr size_t kBytes = kElements * sizeof(int);
constexpr int kWarpsPerSpan = 2;

__device__ void serve(const ncclGin& gin, ncclWindow_t window, int peer, ncclCoopWarpSpan span, int* out) {
  auto* outgoing = static_cast<int*>(ncclGetLocalPointer(window, peer * kBytes));
  for (int i = span.thread_rank(); i < kElements; i += span.size()) outgoing[i] = gin.comm.rank * 1000 + peer * 100 + i;
  size_t inbox = gin.comm.nRanks * kBytes;
  ncclGin_SignalInc arrived{static_cast<ncclGinSignal_t>(gin.comm.rank)};
  size_t there = inbox + gin.comm.rank * kBytes;
  gin.put(ncclTeamWorld(gin.comm), peer, window, there, window, peer * kBytes, kBytes, arrived, ncclGin_None{}, span);
  gin.waitSignal(span, peer, 1);
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, inbox + peer * kBytes));
  for (int i = span.thread_rank(); i < kElements; i += span.size()) out[peer * kElements + i] = got[i];
  gin.flush(span);
}

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* out) {
  ncclGin gin{comm, 0};
  int span = threadIdx.x / 32 / kWarpsPerSpan;
  int peer = (comm.rank + 1 + span) % comm.nRanks;
  serve(gin, window, peer, ncclCoopWarpSpan(span * kWarpsPerSpan, kWarpsPerSpan, span), out);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * ranks.count * kBytes);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = ranks.count;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    int* out;
    CHECK(cudaMalloc(&out, ranks.count * kBytes));
    exchange<<<1, 2 * kWarpsPerSpan * 32>>>(dev_comm, window.handle, out);
    CHECK(cudaDeviceSynchronize());
    for (int peer = 0; peer < ranks.count; peer++) {
      if (peer == ranks.rank) continue;
      std::vector<int> got = download(out + peer * kElements, kElements);
      for (int i = 0; i < kElements; i++) wrong += got[i] != peer * 1000 + ranks.rank * 100 + i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
