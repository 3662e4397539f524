// verdict: time_limit
// finding: output_never_ends.cu:8
#include <cstdio>

#include <cuda_runtime.h>

int main() {
  while (true) std::printf("and so on and on\n");
}
