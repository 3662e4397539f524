// The threads vote, and the block leaves the loop as a whole when all values have settled.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kThreads = 64;
constexpr int kTurnsMax = 100;

// Spreads the maximum one place to the right per turn; the first thread has settled from the start.
__global__ void spread_maximum(int* values, int* turns) {
  __shared__ int shared[2][kThreads];
  int value = values[threadIdx.x], turn = 0;
  for (; turn < kTurnsMax; turn++) {
    int* current = shared[turn % 2];
    current[threadIdx.x] = value;
    __syncthreads();
    int left = threadIdx.x > 0 ? current[threadIdx.x - 1] : 0;
    bool settled = left <= value;
    if (__syncthreads_and(settled)) break;
    if (!settled) value = left;
  }
  values[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) *turns = turn;
}

int main() {
  std::vector<int> host(kThreads);
  for (int i = 0; i < kThreads; i++) host[i] = kThreads - i;
  int *values, *turns, turn_count = 0;
  cudaMalloc(&values, kThreads * sizeof(int));
  cudaMalloc(&turns, sizeof(int));
  cudaMemcpy(values, host.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice);
  spread_maximum<<<1, kThreads>>>(values, turns);
  cudaMemcpy(host.data(), values, kThreads * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&turn_count, turns, sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = turn_count != kThreads - 1;
  for (int value : host) wrong += value != kThreads;
  std::printf("%d wrong\n", wrong);
  cudaFree(turns);
  cudaFree(values);
  return wrong != 0;
}
