// A stream is made for each copy, and none is ever destroyed.
// ranks: 1
// expect-finding: leak
#include <cstdio>
#include <vector>

constexpr int kParts = 4;
constexpr int kPart = 100;

__global__ void fill(int* values, int value) { values[threadIdx.x] = value; }

void fill_part(int* values, int part) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);  // FAULT
  fill<<<1, kPart, 0, stream>>>(values + part * kPart, part + 1);
}

int main() {
  int* values;
  cudaMalloc(&values, kParts * kPart * sizeof(int));
  for (int part = 0; part < kParts; part++) fill_part(values, part);
  cudaDeviceSynchronize();
  std::vector<int> host(kParts * kPart);
  cudaMemcpy(host.data(), values, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kParts * kPart; i++) wrong += host[i] != i / kPart + 1;
  std::printf("%d wrong\n", wrong);
  cudaFree(values);
  return wrong != 0;
}
