// The stencil writes to a second array; the two change places between the launches of one stream.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <utility>
#include <vector>

constexpr int kCount = 512;

template <class T>
__global__ void relax(const T* in, T* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= count - 1) {
    if (i < count) out[i] = in[i];
    return;
  }
  out[i] = (in[i - 1] + in[i + 1]) / 2;
}

template <class T>
std::vector<T> relax_on_host(std::vector<T> values, int steps) {
  for (int step = 0; step < steps; step++) {
    std::vector<T> before = values;
    for (int i = 1; i + 1 < kCount; i++) values[i] = (before[i - 1] + before[i + 1]) / 2;
  }
  return values;
}

int main() {
  const int steps = 4;
  std::vector<double> host(kCount);
  for (int i = 0; i < kCount; i++) host[i] = i * i % 64;
  double *current, *next;
  cudaMalloc(&current, kCount * sizeof(double));
  cudaMalloc(&next, kCount * sizeof(double));
  cudaMemcpy(current, host.data(), kCount * sizeof(double), cudaMemcpyHostToDevice);
  for (int step = 0; step < steps; step++) {
    relax<double><<<4, 128>>>(current, next, kCount);
    std::swap(current, next);
  }
  std::vector<double> got(kCount), expected = relax_on_host(host, steps);
  cudaMemcpy(got.data(), current, kCount * sizeof(double), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += got[i] != expected[i];
  std::printf("%d wrong\n", wrong);
  cudaFree(next);
  cudaFree(current);
  return wrong != 0;
}
