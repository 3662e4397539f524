// verdict: memory_limit
// finding: MiB of the host's memory
#include <cuda_runtime.h>

int main() {
  void* memory;
  while (cudaMalloc(&memory, 64u << 20) == cudaSuccess && cudaMemset(memory, 0, 64u << 20) == cudaSuccess) {
  }
}
