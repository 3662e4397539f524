// Dispatch and combine share one signal per peer, and combine waits for the value that dispatch has already reached.
// ranks: 4
// nodes: 2
// expect-finding: stale_wait
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kTokens = 16;
constexpr size_t kBytes = kTokens * sizeof(int);

struct Areas {
  ncclWindow_t window;
  int ranks;
  __device__ size_t at(int area, int peer) const { return (area * ranks + peer) * kBytes; }
  __device__ int* tokens(int area, int peer) const {
    return static_cast<int*>(ncclGetLocalPointer(window, at(area, peer)));
  }
};
enum Area { kOut, kIn, kDone, kBack, kAreas };

__device__ void send_all(const ncclGin& gin, Areas areas, int from, int to) {
  const ncclDevComm& comm = gin.comm;
  ncclGin_SignalInc mine{static_cast<ncclGinSignal_t>(comm.rank)};
  for (int peer = threadIdx.x; peer < comm.nRanks; peer += blockDim.x)
    gin.put(ncclTeamWorld(comm), peer, areas.window, areas.at(to, comm.rank), areas.window,  // FAULT
            areas.at(from, peer), kBytes, mine);
}

__global__ void moe_layer(ncclDevComm comm, Areas areas) {
  ncclGin gin{comm, 0};
  send_all(gin, areas, kOut, kIn);
  for (int peer = 0; peer < comm.nRanks; peer++) {
    gin.waitSignal(ncclCoopCta(), peer, 1);
    if (threadIdx.x < kTokens) areas.tokens(kDone, peer)[threadIdx.x] = 2 * areas.tokens(kIn, peer)[threadIdx.x];
  }
  __syncthreads();
  send_all(gin, areas, kDone, kBack);
  for (int peer = 0; peer < comm.nRanks; peer++) gin.waitSignal(ncclCoopCta(), peer, 1);  // FAULT
  gin.flush(ncclCoopCta());
}

// Nothing may be under way when the window goes.
__global__ void drain(ncclDevComm comm) {
  for (int peer = 0; peer < comm.nRanks; peer++) ncclGin{comm, 0}.waitSignal(ncclCoopThread(), peer, 2);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t area = ranks.count * kTokens;
  Window window(ranks.comm, kAreas * area * sizeof(int));
  std::vector<int> values(kAreas * area);
  for (size_t i = 0; i < area; i++) values[i] = static_cast<int>(ranks.rank * 1000 + i);
  upload(reinterpret_cast<int*>(window.base), values);
  ncclDevCommRequirements requirements{};
  requirements.ginSignalCount = ranks.count;
  ncclDevComm dev_comm;
  CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
  CHECK(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  moe_layer<<<1, 32>>>(dev_comm, Areas{window.handle, ranks.count});
  std::vector<int> got = download(reinterpret_cast<int*>(window.base) + kBack * area, area);  // FAULT
  drain<<<1, 1>>>(dev_comm);
  CHECK(cudaDeviceSynchronize());
  long wrong = 0;
  for (size_t i = 0; i < area; i++) wrong += got[i] != 2 * values[i];
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  return ranks.verdict(wrong);
}
