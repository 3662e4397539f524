// The scratch memory is given back to the pool before the last kernel of the stream that uses it.
// ranks: 1
// expect-finding: memory_access
#include <cstdio>
#include <vector>

constexpr int kCount = 512;

__global__ void square(int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i * i;
}

__global__ void add_one(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;  // FAULT
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *scratch, *out;
  cudaMallocAsync(&scratch, kCount * sizeof(int), stream);
  cudaMallocAsync(&out, kCount * sizeof(int), stream);
  square<<<4, 128, 0, stream>>>(scratch);
  cudaFreeAsync(scratch, stream);                // FAULT
  add_one<<<4, 128, 0, stream>>>(scratch, out);  // FAULT
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
