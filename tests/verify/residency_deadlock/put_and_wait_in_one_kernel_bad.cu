// Each block puts one chunk and waits for all of the peer's; the blocks that fit wait for puts of blocks that do not.
// ranks: 2
// nodes: 2
// expect-finding: residency_deadlock
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunks = 200;
constexpr int kPerChunk = 32;
constexpr size_t kChunkBytes = kPerChunk * sizeof(int);
constexpr size_t kReceiveAt = kChunks * kChunkBytes;
constexpr int kSharedBytes = 120 * 1024;  // One block an SM.

__device__ void send_chunk(const ncclGin& gin, ncclWindow_t window) {
  size_t at = blockIdx.x * kChunkBytes;
  gin.put(ncclTeamWorld(gin.comm), 1 - gin.comm.rank, window, kReceiveAt + at, window, at, kChunkBytes,
          ncclGin_SignalInc{0}, ncclGin_None{}, ncclCoopCta());
  gin.flush(ncclCoopCta());
}

__device__ void scale_chunk(const ncclGin& gin, ncclWindow_t window, int* out, int* tile) {
  gin.waitSignal(ncclCoopCta(), 0, kChunks);  // FAULT
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, kReceiveAt + blockIdx.x * kChunkBytes));
  tile[threadIdx.x] = 2 * got[threadIdx.x];
  out[blockIdx.x * kPerChunk + threadIdx.x] = tile[threadIdx.x];
}

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* out) {
  extern __shared__ int tile[];
  ncclGin gin{comm, 0};
  send_chunk(gin, window);
  scale_chunk(gin, window, out, tile);  // FAULT
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, 2 * kReceiveAt);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 1;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(kChunks * kPerChunk);
    for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(ranks.rank * 100000 + i);
    upload(reinterpret_cast<int*>(window.base), values);
    int* out;
    CHECK(cudaMalloc(&out, kReceiveAt));
    CHECK(cudaFuncSetAttribute(exchange, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    exchange<<<kChunks, kPerChunk, kSharedBytes>>>(dev_comm, window.handle, out);  // FAULT
    std::vector<int> got = download(out, values.size());
    for (size_t i = 0; i < got.size(); i++) wrong += got[i] != static_cast<int>(2 * ((1 - ranks.rank) * 100000 + i));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
