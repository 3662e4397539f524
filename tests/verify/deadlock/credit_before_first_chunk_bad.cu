// The sender asks for a credit before its first chunk, the receiver grants one only after a chunk: a cycle of two.
// ranks: 2
// nodes: 2
// expect-finding: deadlock
#include <nccl_device.h>

#include "../../simulate/support.h"

constexpr int kChunks = 6;
constexpr int kSlots = 2;
constexpr int kPerChunk = 128;
constexpr size_t kChunkBytes = kPerChunk * sizeof(int);
constexpr size_t kSlotsAt = kChunks * kChunkBytes;
constexpr ncclGinSignal_t kData = 0, kCredit = 1;

__device__ void send_chunks(const ncclGin& gin, ncclTeam world, ncclWindow_t window) {
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitSignal(ncclCoopCta(), kCredit, chunk + 1);  // FAULT
    gin.put(world, 1, window, kSlotsAt + chunk % kSlots * kChunkBytes, window, chunk * kChunkBytes, kChunkBytes,
            ncclGin_SignalInc{kData}, ncclGin_None{}, ncclCoopCta());
  }
  gin.waitSignal(ncclCoopCta(), kCredit, kChunks);
  gin.flush(ncclCoopCta());
}

__device__ void receive_chunks(const ncclGin& gin, ncclTeam world, ncclWindow_t window, int* out) {
  auto* slots = static_cast<int*>(ncclGetLocalPointer(window, kSlotsAt));
  for (int chunk = 0; chunk < kChunks; chunk++) {
    gin.waitSignal(ncclCoopCta(), kData, chunk + 1);  // FAULT
    for (int i = threadIdx.x; i < kPerChunk; i += blockDim.x)
      out[chunk * kPerChunk + i] = slots[chunk % kSlots * kPerChunk + i];
    gin.signal(world, 0, ncclGin_SignalInc{kCredit}, ncclCoopCta());
  }
  gin.flush(ncclCoopCta());
}

__global__ void stream_chunks(ncclDevComm comm, ncclWindow_t window, int* out) {
  ncclGin gin{comm, 0};
  if (comm.rank == 0)
    send_chunks(gin, ncclTeamWorld(comm), window);
  else
    receive_chunks(gin, ncclTeamWorld(comm), window, out);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, kSlotsAt + kSlots * kChunkBytes);
    ncclDevCommRequirements requirements{};
    requirements.ginSignalCount = 2;
    ncclDevComm dev_comm;
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    std::vector<int> values(kChunks * kPerChunk);
    for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(3 * i + 1);
    if (ranks.rank == 0) upload(reinterpret_cast<int*>(window.base), values);
    int* out;
    CHECK(cudaMalloc(&out, kChunks * kChunkBytes));
    stream_chunks<<<1, 64>>>(dev_comm, window.handle, out);
    CHECK(cudaDeviceSynchronize());
    if (ranks.rank == 1) {
      std::vector<int> got = download(out, values.size());
      for (size_t i = 0; i < got.size(); i++) wrong += got[i] != values[i];
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(out));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
