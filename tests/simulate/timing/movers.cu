// One kernel, and what it does with its elements besides many integer operations.
// Argument: 0 stores them into the next rank's window, 1 does so with what it has computed from them, 2 keeps them, 3
// stores a few of them after operations that are no loop, 4 stores them once by itself and once beside blocks that
// compute on all multiprocessors.
#include <nccl_device.h>

#include "support.h"

constexpr int kCount = 1 << 16, kRounds = 512;

__device__ unsigned mixed(unsigned value) {
  for (int i = 0; i < kRounds; i++) value = value * 1664525u + (value >> 7);
  return value;
}

__global__ void move(ncclWindow_t window, int peer, const unsigned* from) {
  unsigned* to = (unsigned*)ncclGetLsaPointer(window, 0, peer);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) to[i] = mixed(from[i]);
}

template <int kTimes>
__device__ unsigned mixed_once(unsigned value) {
  if constexpr (kTimes == 0)
    return value;
  else
    return mixed_once<kTimes - 1>(value * 1664525u + (value >> 7));
}

__global__ void prepare_and_move(ncclWindow_t window, int peer, const unsigned* from) {
  unsigned* to = (unsigned*)ncclGetLsaPointer(window, 0, peer);
  unsigned value = mixed_once<kRounds>(mixed_once<kRounds>(threadIdx.x));
  if (threadIdx.x < 4) to[threadIdx.x] = from[threadIdx.x] + value;
}

__global__ void compute_and_move(ncclWindow_t window, int peer, const unsigned* from) {
  unsigned* to = (unsigned*)ncclGetLsaPointer(window, 0, peer);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) {
    float sum = from[i];
    for (int k = 0; k < 2 * kRounds; k++) sum = sum * 0.5f + 1;
    to[i] = (unsigned)sum;
  }
}

__global__ void keep(unsigned* to, const unsigned* from) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x) to[i] = mixed(from[i]);
}

void move_beside_others(const Window& window, int peer, unsigned* to, const unsigned* from) {
  cudaStream_t beside;
  CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  move<<<4, 256>>>(window.handle, peer, from);
  CHECK(cudaDeviceSynchronize());
  keep<<<108, 256>>>(to, from);
  move<<<4, 256, 0, beside>>>(window.handle, peer, from);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamDestroy(beside));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int kind = argc > 1 ? std::atoi(argv[1]) : 0, next = (ranks.rank + 1) % ranks.count;
  {
    Window window(ranks.comm, sizeof(unsigned) * kCount);
    unsigned *from, *to;
    CHECK(cudaMalloc(&from, sizeof(unsigned) * kCount));
    CHECK(cudaMalloc(&to, sizeof(unsigned) * kCount));
    CHECK(cudaMemset(from, 0, sizeof(unsigned) * kCount));
    MPI_Barrier(MPI_COMM_WORLD);
    if (kind == 0) move<<<4, 256>>>(window.handle, next, from);
    if (kind == 1) compute_and_move<<<4, 256>>>(window.handle, next, from);
    if (kind == 3) prepare_and_move<<<1, 256>>>(window.handle, next, from);
    if (kind == 2) keep<<<4, 256>>>(to, from);
    if (kind == 4) move_beside_others(window, next, to, from);
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
  }
  return ranks.verdict(0);
}
