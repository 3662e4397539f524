// The last thread reads the element after the array's end, which the allocation's rounding hides on hardware.
// ranks: 1
// expect-finding: memory_access
// says: reads 4 bytes at `in[1000]`, just past the end of 4000 bytes from cudaMalloc at
#include <cstdio>
#include <vector>

constexpr int kCount = 1000;

__global__ void differences(const int* in, int* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i + 1] - in[i];  // FAULT
}

int main() {
  std::vector<int> host(kCount), got(kCount);
  for (int i = 0; i < kCount; i++) host[i] = i * i;
  int *in, *out;
  cudaMalloc(&in, kCount * sizeof(int));
  cudaMalloc(&out, kCount * sizeof(int));
  cudaMemcpy(in, host.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
  differences<<<4, 256>>>(in, out, kCount);
  cudaMemcpy(got.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i + 1 < kCount; i++) wrong += got[i] != 2 * i + 1;
  std::printf("%d wrong\n", wrong);
  cudaFree(out);
  cudaFree(in);
  return wrong != 0;
}
