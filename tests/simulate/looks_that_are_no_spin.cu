// Loops that look at an unchanging flag between their work, alone on the GPU: they come to their end.
// ranks: 1
// expect: ok
// expect: counted 8994, queued 4000
#include <cstdio>

constexpr int kThreads = 256;

__global__ void count(volatile int* stop, int* out) {
  int sum = 0;
  for (int i = 0; i < 3000; i++) {
    if (*stop) break;
    sum += i % 7;
  }
  out[threadIdx.x] = sum;
}

// What is done shows in memory alone: the registers are the same in every round.
__global__ void work_off(volatile int* stop, unsigned* next, unsigned* done) {
  while (!*stop && atomicAdd(next, 1u) < 4000) atomicAdd(done, 1u);
}

int main() {
  int *stop, *out, host[kThreads];
  unsigned *queue, counts[2];
  cudaMalloc(&stop, sizeof(int));
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&queue, sizeof counts);
  cudaMemset(stop, 0, sizeof(int));
  cudaMemset(queue, 0, sizeof counts);
  count<<<1, kThreads>>>(stop, out);
  work_off<<<1, 1>>>(stop, queue, queue + 1);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, queue, sizeof counts, cudaMemcpyDeviceToHost);
  std::printf("counted %d, queued %u\n", host[kThreads - 1], counts[1]);
  cudaFree(queue);
  cudaFree(out);
  cudaFree(stop);
}
