// One block a tile stores it to the peer and then waits until all tiles have come: more tiles than blocks that fit.
// ranks: 2
// expect-finding: residency_deadlock
#include <nccl_device.h>

#include <cuda/atomic>

#include "../../simulate/support.h"

constexpr int kTiles = 160;
constexpr int kTile = 32;
constexpr size_t kArrivedAt = kTiles * kTile * sizeof(int);
constexpr int kSharedBytes = 120 * 1024;  // One block an SM.

using Arrived = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__device__ void send_tile(ncclWindow_t window, int peer, int rank, int tile, int* staging) {
  staging[threadIdx.x] = rank * 100000 + tile * kTile + threadIdx.x;
  __syncthreads();
  auto* there = static_cast<int*>(ncclGetLsaPointer(window, tile * kTile * sizeof(int), peer));
  there[threadIdx.x] = staging[kTile - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    Arrived(*static_cast<unsigned*>(ncclGetLsaPointer(window, kArrivedAt, peer)))
        .fetch_add(1, cuda::memory_order_release);
}

__global__ void exchange(ncclDevComm comm, ncclWindow_t window, int* sums) {
  extern __shared__ int staging[];
  for (int tile = blockIdx.x; tile < kTiles; tile += gridDim.x)
    send_tile(window, 1 - comm.lsaRank, comm.rank, tile, staging);
  if (threadIdx.x != 0) return;
  Arrived arrived(*static_cast<unsigned*>(ncclGetLocalPointer(window, kArrivedAt)));
  while (arrived.load(cuda::memory_order_acquire) < kTiles) {  // FAULT
  }
  auto* got = static_cast<int*>(ncclGetLocalPointer(window, 0));
  for (int tile = blockIdx.x; tile < kTiles; tile += gridDim.x) {
    sums[tile] = 0;
    for (int i = 0; i < kTile; i++) sums[tile] += got[tile * kTile + i];
  }
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  long wrong = 0;
  {
    Window window(ranks.comm, kArrivedAt + 256);
    ncclDevComm dev_comm;
    ncclDevCommRequirements requirements{};
    CHECK(ncclDevCommCreate(ranks.comm, &requirements, &dev_comm));
    CHECK(cudaMemset(window.base + kArrivedAt, 0, sizeof(unsigned)));
    int* sums;
    CHECK(cudaMalloc(&sums, kTiles * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFuncSetAttribute(exchange, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    int blocks = kTiles;
    exchange<<<blocks, kTile, kSharedBytes>>>(dev_comm, window.handle, sums);  // FAULT
    std::vector<int> got = download(sums, kTiles);
    for (int tile = 0; tile < kTiles; tile++)
      wrong += got[tile] != kTile * ((1 - ranks.rank) * 100000 + tile * kTile) + kTile * (kTile - 1) / 2;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(sums));
    CHECK(ncclDevCommDestroy(ranks.comm, &dev_comm));
  }
  return ranks.verdict(wrong);
}
