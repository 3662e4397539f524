// A thread looks at one word and then waits for another. That the first one changes meanwhile is no reason to wake it
// again and again: the second changes later.
// ranks: 1
// expect: ok
// expect: waited
#include <cuda_runtime.h>

#include <cstdio>

__global__ void wait_for_second(volatile int* words, int* seen) {
  *seen = words[0];
  while (words[1] == 0) {
  }
}

__global__ void change(int* words) {
  for (int word = 0; word < 2; word++) {
    __nanosleep(200000);
    atomicExch(&words[word], 1);
  }
}

int main() {
  int* words;
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  cudaMalloc(&words, 3 * sizeof(int));
  cudaMemset(words, 0, 3 * sizeof(int));
  cudaDeviceSynchronize();
  wait_for_second<<<1, 1, 0, streams[0]>>>(words, words + 2);
  change<<<1, 1, 0, streams[1]>>>(words);
  if (cudaDeviceSynchronize() == cudaSuccess) std::printf("waited\n");
  for (cudaStream_t& stream : streams) cudaStreamDestroy(stream);
  cudaFree(words);
}
