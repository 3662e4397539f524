// verdict: fault
// finding: the end of a host stack: it overflowed
#include <cuda_runtime.h>

int depth_of(volatile int* depth) {
  volatile char frame[256];
  frame[0] = static_cast<char>(++*depth);
  return depth_of(depth) + frame[0];
}

int main() {
  volatile int depth = 0;
  return depth_of(&depth);
}
