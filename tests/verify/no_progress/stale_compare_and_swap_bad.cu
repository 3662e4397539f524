// The compare-and-swap loop keeps the value it read before the loop; after another thread's success it fails for ever.
// ranks: 1
// expect-finding: no_progress
#include <cstdio>

constexpr int kBlocks = 4;
constexpr int kThreads = 128;

// There is no atomicMax for float.
__device__ void atomic_max(int* word, int seen, float value) {
  int got = ~seen;
  while (got != seen) {                                                               // FAULT
    got = atomicCAS(word, seen, __float_as_int(fmaxf(value, __int_as_float(seen))));  // FAULT
  }
}

// The largest mean of two neighbours; the block's values go round.
__global__ void find_max(const float* values, int* result) {
  __shared__ float tile[kThreads];
  int seen = atomicAdd(result, 0);
  tile[threadIdx.x] = values[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  float mean = 0.5f * (tile[threadIdx.x] + tile[(threadIdx.x + 1) % kThreads]);
  atomic_max(result, seen, mean);  // FAULT
}

float max_on_host(const float* values) {
  float best = 0;
  for (int block = 0; block < kBlocks; block++)
    for (int i = 0; i < kThreads; i++) {
      float mean = 0.5f * (values[block * kThreads + i] + values[block * kThreads + (i + 1) % kThreads]);
      best = mean > best ? mean : best;
    }
  return best;
}

int main() {
  const int count = kBlocks * kThreads;
  float host[count], got = 0;
  for (int i = 0; i < count; i++) host[i] = static_cast<float>((i * 37) % 1009);
  float* values;
  int* result;
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&result, sizeof(int));
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(result, 0, sizeof(int));
  find_max<<<kBlocks, kThreads>>>(values, result);
  cudaMemcpy(&got, result, sizeof(float), cudaMemcpyDeviceToHost);
  bool wrong = got != max_on_host(host);
  std::printf("%d wrong\n", wrong);
  cudaFree(result);
  cudaFree(values);
  return wrong;
}
