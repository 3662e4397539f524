// verdict: memory_limit
// finding: MiB of the host's memory
#include <cstdlib>

#include <cuda_runtime.h>

int main() {
  while (true) {
    auto* memory = static_cast<volatile char*>(std::malloc(8u << 20));
    for (size_t at = 0; memory && at < 8u << 20; at += 4096) memory[at] = 1;
  }
}
