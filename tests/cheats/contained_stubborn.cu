// expect: verified limit
// Ignores every request to end.
// own parent: only the sandbox and the judge stand against it
//--- kernels
__global__ void scale(const float* input, float* part, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) part[i] = 2.0f * input[i] + 1.0f;
}
__global__ void smooth(const float* gathered, float* result, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) result[i] = 0.5f * (gathered[i] + gathered[(i + 1) % total]);
}
#include <signal.h>
//--- step
for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
for (volatile long i = 0;; i = i + 1) {
}
