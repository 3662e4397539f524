// The lanes read what other lanes of the warp stored to shared memory without meeting them in between.
// ranks: 1
// expect-finding: gpu_race
#include <cstdio>
#include <vector>

constexpr int kWarps = 4;
constexpr int kColumns = 8;
constexpr int kPerWarp = 32 * kColumns;

__global__ void transpose(const int* in, int* out) {
  __shared__ int slices[kWarps][kPerWarp];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int* slice = slices[warp];
  const int* own = in + (blockIdx.x * kWarps + warp) * kPerWarp;
  for (int k = 0; k < kColumns; k++) slice[lane * kColumns + k] = own[lane * kColumns + k];  // FAULT
  int* target = out + (blockIdx.x * kWarps + warp) * kPerWarp;
  for (int k = 0; k < kColumns; k++) target[k * 32 + lane] = slice[(31 - lane) * kColumns + k];  // FAULT
}

int main() {
  const int count = 2 * kWarps * kPerWarp;
  std::vector<int> host(count), got(count);
  for (int i = 0; i < count; i++) host[i] = i;
  int *in, *out;
  cudaMalloc(&in, count * sizeof(int));
  cudaMalloc(&out, count * sizeof(int));
  cudaMemcpy(in, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
  transpose<<<2, 32 * kWarps>>>(in, out);
  cudaMemcpy(got.data(), out, count * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < count; i++) {
    int slice = i / kPerWarp, k = i % kPerWarp / 32, lane = i % 32;
    wrong += got[i] != slice * kPerWarp + (31 - lane) * kColumns + k;
  }
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(in);
  return wrong != 0;
}
