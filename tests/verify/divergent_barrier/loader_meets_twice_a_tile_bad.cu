// Loader warps meet twice per tile and compute warps once; the hardware pairs any two of the barriers.
// ranks: 1
// expect-finding: divergent_barrier
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;  // The lower half loads, the upper half computes.
constexpr int kTile = kThreads / 2;
constexpr int kTiles = 4;

__global__ void square(const int* in, int* out) {
  __shared__ int tile[kTile];
  int lane = threadIdx.x % kTile;
  for (int t = 0; t < kTiles; t++) {
    if (threadIdx.x < kTile) {
      tile[lane] = in[t * kTile + lane];
      __syncthreads();  // FAULT
      __syncthreads();  // FAULT
    } else {
      __syncthreads();  // FAULT
      int value = tile[kTile - 1 - lane];
      out[t * kTile + lane] = value * value;
    }
  }
  __syncthreads();  // FAULT
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
