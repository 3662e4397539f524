// The tile has room for the block's own elements and a halo of two.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kBlock = 128;
constexpr int kHalo = 2;
constexpr int kCount = 4 * kBlock;

__global__ void sum_of_three(const int* in, int* out) {
  __shared__ int tile[kBlock + kHalo];
  int i = blockIdx.x * kBlock + threadIdx.x;
  tile[threadIdx.x] = in[i];
  if (threadIdx.x < kHalo) tile[kBlock + threadIdx.x] = i + kBlock < kCount ? in[i + kBlock] : 0;
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

int main() {
  std::vector<int> host(kCount), got(kCount);
  for (int i = 0; i < kCount; i++) host[i] = i % 50;
  int *in, *out;
  cudaMalloc(&in, kCount * sizeof(int));
  cudaMalloc(&out, kCount * sizeof(int));
  cudaMemcpy(in, host.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  sum_of_three<<<kCount / kBlock, kBlock>>>(in, out);
  cudaMemcpy(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i + kHalo < kCount; i++) wrong += got[i] != host[i] + host[i + 1] + host[i + 2];
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(in);
  return wrong != 0;
}
