// The loop counts tiles, so all threads make the same number of turns and only the accesses depend on the thread.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kCount = 100;

// Reverses each tile of 64, or what there is of it, and adds up everything.
__global__ void reverse_tiles(const int* in, int* out, int* total) {
  __shared__ int tile[kThreads], sums[kThreads];
  int sum = 0;
  for (int first = 0; first < kCount; first += kThreads) {
    int i = first + threadIdx.x, size = min(kThreads, kCount - first);
    if (i < kCount) tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < kCount) {
      out[i] = tile[size - 1 - threadIdx.x];
      sum += tile[threadIdx.x];
    }
    __syncthreads();
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads; i++) sum += sums[i];
  *total = sum;
}

int main() {
  int *in, *out, *total;
  cudaMalloc(&in, kCount * sizeof(int));
  cudaMalloc(&out, kCount * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  std::vector<int> values(kCount), got(kCount);
  for (int i = 0; i < kCount; i++) values[i] = 5 * i;
  cudaMemcpy(in, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  reverse_tiles<<<1, kThreads>>>(in, out, total);
  int sum = 0, wrong = 0;
  cudaMemcpy(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&sum, total, sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; i++) wrong += got[i] != 5 * (i < kThreads ? kThreads - 1 - i : kThreads + kCount - 1 - i);
  wrong += sum != 5 * kCount * (kCount - 1) / 2;
  std::printf("%d wrong\n", wrong);
  cudaFree(total);
  cudaFree(out);
  cudaFree(in);
  return wrong != 0;
}
