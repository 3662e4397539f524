// verdict: fault
// finding: the end of a GPU thread's stack: it overflowed
#include <cuda_runtime.h>

__global__ void scatter(int* out, int at) {
  volatile int table[200 * 1024];
  table[at] = at;
  *out = table[at];
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  scatter<<<4, 64>>>(out, 3);
  cudaDeviceSynchronize();
}
