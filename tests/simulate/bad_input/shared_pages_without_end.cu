// verdict: memory_limit
// finding: MiB of the host's memory
// Large copies share their pages in a file of the run, which counts as well.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

int main() {
  const size_t bytes = size_t{128} << 20;
  char* host = (char*)malloc(bytes);
  memset(host, 1, bytes);
  void* memory;
  while (cudaMalloc(&memory, bytes) == cudaSuccess) {
    for (size_t i = 0; i < bytes; i += 4096) host[i]++;
    cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice);
  }
}
