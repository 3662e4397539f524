// verdict: fault
// finding: memory_access: host thread 0: memory access to a null pointer
#include <cuda_runtime.h>

int main(int argc, char**) {
  volatile int* nowhere = argc > 100 ? &argc : nullptr;
  *nowhere = 1;
}
