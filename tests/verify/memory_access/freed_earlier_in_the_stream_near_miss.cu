// The scratch memory is freed while its kernels may still run, but the free is queued behind them.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kCount = 512;

__global__ void square(int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i * i;
}

__global__ void add_one(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *scratch, *out;
  cudaMallocAsync(&scratch, kCount * sizeof(int), stream);
  cudaMallocAsync(&out, kCount * sizeof(int), stream);
  square<<<4, 128, 0, stream>>>(scratch);
  add_one<<<4, 128, 0, stream>>>(scratch, out);
  cudaFreeAsync(scratch, stream);
  std::vector<int> host(kCount);
  cudaMemcpyAsync(host.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(out, stream);
  cudaStreamSynchronize(stream);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != i * i + 1;
  std::printf("%d wrong\n", wrong);
  cudaStreamDestroy(stream);
  return wrong != 0;
}
