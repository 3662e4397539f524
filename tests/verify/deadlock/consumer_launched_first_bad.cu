// The legacy default stream runs before later work of a blocking stream, so the polling consumer starves its producer.
// ranks: 1
// expect-finding: deadlock
#include <cstdio>
#include <cuda/atomic>
#include <vector>

constexpr int kTiles = 4;
constexpr int kTile = 128;

using Ready = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void produce(float* tiles, unsigned* ready) {
  tiles[blockIdx.x * kTile + threadIdx.x] = static_cast<float>(blockIdx.x + threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) Ready(ready[blockIdx.x]).store(1, cuda::memory_order_release);
}

__global__ void consume(const float* tiles, unsigned* ready, float* sums) {
  if (threadIdx.x == 0)
    while (Ready(ready[blockIdx.x]).load(cuda::memory_order_acquire) == 0) {  // FAULT
    }
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (int i = 0; i < kTile; i++) sum += tiles[blockIdx.x * kTile + i];
  sums[blockIdx.x] = sum;
}

int main() {
  float *tiles, *sums;
  unsigned* ready;
  cudaMalloc(&tiles, kTiles * kTile * sizeof(float));
  cudaMalloc(&sums, kTiles * sizeof(float));
  cudaMalloc(&ready, kTiles * sizeof(unsigned));
  cudaMemset(ready, 0, kTiles * sizeof(unsigned));
  cudaStream_t producer;
  cudaStreamCreate(&producer);                            // FAULT
  consume<<<kTiles, kTile>>>(tiles, ready, sums);         // FAULT
  produce<<<kTiles, kTile, 0, producer>>>(tiles, ready);  // FAULT
  cudaDeviceSynchronize();                                // FAULT
  std::vector<float> got(kTiles);
  cudaMemcpy(got.data(), sums, kTiles * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int tile = 0; tile < kTiles; tile++)
    wrong += got[tile] != static_cast<float>(tile * kTile + kTile * (kTile - 1) / 2);
  std::printf("%d wrong\n", wrong);
  cudaStreamDestroy(producer);
  cudaFree(ready);
  cudaFree(sums);
  cudaFree(tiles);
  return wrong != 0;
}
