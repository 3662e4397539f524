// The pool often hands back the same block, still cleared, but a fresh allocation promises nothing about its contents.
// ranks: 1
// expect-finding: unwritten_read
#include <cstdio>

constexpr int kCount = 512;

__global__ void add_index(unsigned* scratch, unsigned* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] += i;  // FAULT
  atomicAdd(total, scratch[i]);
}

__global__ void scrub(unsigned* scratch) { scratch[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  unsigned *total, result;
  cudaMalloc(&total, sizeof(unsigned));
  cudaMemsetAsync(total, 0, sizeof(unsigned), stream);
  for (int round = 0; round < 2; round++) {
    unsigned* scratch;
    cudaMallocAsync(&scratch, kCount * sizeof(unsigned), stream);  // FAULT
    if (round == 0) cudaMemsetAsync(scratch, 0, kCount * sizeof(unsigned), stream);
    add_index<<<4, 128, 0, stream>>>(scratch, total);
    scrub<<<4, 128, 0, stream>>>(scratch);
    cudaFreeAsync(scratch, stream);
  }
  cudaMemcpyAsync(&result, total, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("%u\n", result);
  cudaFree(total);
  cudaStreamDestroy(stream);
  return result != kCount * (kCount - 1u);
}
