// Every block waits for a flag that the last block sets; with too many blocks the last one never starts.
// ranks: 1
// fault: residency_deadlock
#include <cstdio>

__global__ void wait_for_last(unsigned* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == gridDim.x - 1) {
    __threadfence();
    atomicExch(flag, 1u);
  } else {
    while (atomicAdd(flag, 0u) == 0) {}
  }
}

int main() {
  unsigned* flag;
  cudaMalloc(&flag, sizeof(unsigned));
  cudaMemset(flag, 0, sizeof(unsigned));
  int device = 0, multiprocessors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, wait_for_last, 1024, 0);
  int blocks = multiprocessors * resident;
#ifdef FAULT
  blocks += 1;
#endif
  wait_for_last<<<blocks, 1024>>>(flag);
  cudaDeviceSynchronize();
  cudaFree(flag);
  return 0;
}
