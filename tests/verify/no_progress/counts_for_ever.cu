// A loop whose exit condition was mistyped: it sleeps and counts, and nothing else happens.
// ranks: 1
// fault: no_progress
#include <cstdio>

__global__ void count(unsigned* counter, unsigned limit) {
  unsigned value = 0;
#ifdef FAULT
  while (value != limit + 1 || value % 2 == limit % 2) {
#else
  while (value != limit) {
#endif
    value += 2;
    *counter = value;
    __nanosleep(100000);
  }
}

int main() {
  unsigned* counter;
  cudaMalloc(&counter, sizeof(unsigned));
  cudaMemset(counter, 0, sizeof(unsigned));
  count<<<1, 1>>>(counter, 100);
  cudaDeviceSynchronize();
  cudaFree(counter);
  return 0;
}
