// A kernel polls with __nanosleep for a flag that nobody sets.
// ranks: 1
// fault: deadlock
#include <cstdio>

__global__ void wait_for_flag(volatile int* flag) {
  while (*flag == 0) __nanosleep(1000);
}
__global__ void set_flag(volatile int* flag) { *flag = 1; }

int main() {
  int* flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  cudaStream_t waiting, setting;
  cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&setting, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  wait_for_flag<<<1, 1, 0, waiting>>>(flag);
#ifndef FAULT
  set_flag<<<1, 1, 0, setting>>>(flag);
#endif
  cudaDeviceSynchronize();
  cudaFree(flag);
  return 0;
}
