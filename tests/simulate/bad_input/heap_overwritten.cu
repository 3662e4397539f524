// The memory that follows the block belongs to the runtime as much as to the program.
// verdict: fault
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

int main() {
  auto* small = static_cast<volatile char*>(std::malloc(16));
  for (size_t i = 0; i < size_t{64} << 20; i++) small[i] = 0x5a;
  int* memory;
  cudaMalloc(&memory, 1024);
  cudaDeviceSynchronize();
}
