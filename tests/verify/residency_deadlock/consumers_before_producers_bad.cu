// Roles follow the block number; the consumers that start first take all SMs and wait for producers that cannot start.
// ranks: 1
// expect-finding: residency_deadlock
#include <cstdio>
#include <cuda/atomic>
#include <vector>

constexpr int kConsumers = 200;
constexpr int kProducers = 8;
constexpr int kTiles = 32;
constexpr int kTile = 64;
constexpr int kSharedBytes = 120 * 1024;  // One block an SM.

struct Board {
  unsigned started, tiles_ready;
};

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ unsigned role_of_block(Board* board) {
  return (blockIdx.x + kProducers) % gridDim.x;  // FAULT
}

__device__ void produce(unsigned producer, int* tiles, int* scratch, Board* board) {
  for (unsigned tile = producer; tile < kTiles; tile += kProducers) {
    scratch[threadIdx.x] = tile * kTile + threadIdx.x;
    tiles[tile * kTile + threadIdx.x] = scratch[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) Word(board->tiles_ready).fetch_add(1, cuda::memory_order_release);
  }
}

__device__ void consume(unsigned consumer, const int* tiles, int* sums, Board* board) {
  if (threadIdx.x != 0) return;
  while (Word(board->tiles_ready).load(cuda::memory_order_acquire) < kTiles) {  // FAULT
  }
  int sum = 0;
  for (int i = consumer; i < kTiles * kTile; i += kConsumers) sum += tiles[i];
  sums[consumer] = sum;
}

__global__ void specialise(int* tiles, int* sums, Board* board) {
  extern __shared__ int scratch[];
  unsigned role = role_of_block(board);
  if (role < kProducers)
    produce(role, tiles, scratch, board);
  else
    consume(role - kProducers, tiles, sums, board);  // FAULT
}

int main() {
  int *tiles, *sums;
  Board* board;
  cudaMalloc(&tiles, kTiles * kTile * sizeof(int));
  cudaMalloc(&sums, kConsumers * sizeof(int));
  cudaMalloc(&board, sizeof(Board));
  cudaMemset(board, 0, sizeof(Board));
  cudaFuncSetAttribute(specialise, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  specialise<<<kConsumers + kProducers, kTile, kSharedBytes>>>(tiles, sums, board);  // FAULT
  std::vector<int> got(kConsumers);
  cudaMemcpy(got.data(), sums, kConsumers * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int consumer = 0; consumer < kConsumers; consumer++) {
    int sum = 0;
    for (int i = consumer; i < kTiles * kTile; i += kConsumers) sum += i;
    wrong += got[consumer] != sum;
  }
  std::printf("%d wrong\n", wrong);
  cudaFree(board);
  cudaFree(sums);
  cudaFree(tiles);
  return wrong != 0;
}
