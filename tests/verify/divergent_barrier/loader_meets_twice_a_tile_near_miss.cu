// Loader and compute warps take turns through two shared-memory barriers that count arrivals, each in its own branch.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <cuda/barrier>
#include <vector>

constexpr int kThreads = 64;  // The lower half loads, the upper half computes.
constexpr int kTile = kThreads / 2;
constexpr int kTiles = 4;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void load_tiles(const int* in, int lane, int* tile, Barrier& filled, Barrier& emptied) {
  for (int t = 0; t < kTiles; t++) {
    tile[lane] = in[t * kTile + lane];
    filled.arrive_and_wait();
    emptied.arrive_and_wait();
  }
}

__device__ void square_tiles(int* out, int lane, const int* tile, Barrier& filled, Barrier& emptied) {
  for (int t = 0; t < kTiles; t++) {
    filled.arrive_and_wait();
    int value = tile[kTile - 1 - lane];
    emptied.arrive_and_wait();
    out[t * kTile + lane] = value * value;
  }
}

__global__ void square(const int* in, int* out) {
  __shared__ int tile[kTile];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier filled, emptied;
  if (threadIdx.x == 0) {
    init(&filled, kThreads);
    init(&emptied, kThreads);
  }
  __syncthreads();
  if (threadIdx.x < kTile)
    load_tiles(in, threadIdx.x, tile, filled, emptied);
  else
    square_tiles(out, threadIdx.x - kTile, tile, filled, emptied);
  __syncthreads();
  if (threadIdx.x == 0) out[kTiles * kTile] = kTiles;
}

int main() {
  const int count = kTiles * kTile;
  std::vector<int> values(count), got(count + 1);
  for (int i = 0; i < count; i++) values[i] = i + 1;
  int *in, *out;
  cudaMalloc(&in, count * sizeof(int));
  cudaMalloc(&out, (count + 1) * sizeof(int));
  cudaMemcpy(in, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  square<<<1, kThreads>>>(in, out);
  cudaMemcpy(got.data(), out, (count + 1) * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = got[count] != kTiles;
  for (int i = 0; i < count; i++) {
    int value = values[i / kTile * kTile + kTile - 1 - i % kTile];
    wrong += got[i] != value * value;
  }
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(in);
  return wrong != 0;
}
