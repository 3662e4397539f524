// verdict: fault
// finding: integer division by zero
#include <cuda_runtime.h>

int main(int argc, char**) {
  volatile int zero = argc / 100;
  return 7 / zero;
}
