// Threads clear the shared bins and meet at a barrier before they count into them.
// ranks: 1
// expect: no findings
#include <cstdio>

constexpr int kBins = 64;
constexpr int kThreads = 128;

__global__ void count(const unsigned char* values, int n, unsigned* result) {
  __shared__ unsigned bins[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[values[i] % kBins], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&result[bin], bins[bin]);
}

int main() {
  constexpr int kCount = 1000;
  unsigned char host[kCount];
  for (int i = 0; i < kCount; i++) host[i] = static_cast<unsigned char>(i * 7);
  unsigned char* values;
  unsigned *result, got[kBins], total = 0;
  cudaMalloc(&values, kCount);
  cudaMalloc(&result, sizeof got);
  cudaMemcpy(values, host, kCount, cudaMemcpyHostToDevice);
  cudaMemset(result, 0, sizeof got);
  count<<<2, kThreads>>>(values, kCount, result);
  cudaMemcpy(got, result, sizeof got, cudaMemcpyDeviceToHost);
  for (unsigned bin : got) total += bin;
  bool wrong = total != kCount;
  std::printf("%d wrong\n", wrong);
  cudaFree(result);
  cudaFree(values);
  return wrong;
}
