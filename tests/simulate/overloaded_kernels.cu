// Kernels that share a name: the arguments of the launch choose, as in a call.
// ranks: 1
// expect: ok
// expect: 3 40 500
#include <cstdio>

__global__ void fill(int* out, int value) { out[0] = value; }
__global__ void fill(int* out, int value, size_t scale) { out[1] = value * static_cast<int>(scale); }
__global__ void fill(int* out, const double* factor, int value) { out[2] = static_cast<int>(*factor) * value; }

int main() {
  int *out, host[3];
  double *factor, hundred = 100;
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&factor, sizeof hundred);
  cudaMemcpy(factor, &hundred, sizeof hundred, cudaMemcpyHostToDevice);
  size_t scale = 10;
  fill<<<1, 1>>>(out, 3);
  fill<<<1, 1>>>(out, 4, scale);
  fill<<<1, 1>>>(out, factor, 5);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", host[0], host[1], host[2]);
  cudaFree(out);
  cudaFree(factor);
  return 0;
}
