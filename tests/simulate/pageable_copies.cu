// Asynchronous copies with pageable memory return when the program's memory is filled or read; with pinned memory they
// return at once.
// ranks: 1
// expect: ok
// expect: pageable result 7, pinned result not there yet, upload of what was freed: right
#include <cstdio>
#include <vector>

constexpr int kCount = 100'000;

__device__ int last_value;

__global__ void set(int* value, int to) { *value = to; }
__global__ void count_wrong(const int* values, int* wrong) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x)
    if (values[i] != i) atomicAdd(wrong, 1);
}

void upload(int* values, cudaStream_t stream) {
  std::vector<int> host(kCount);
  for (int i = 0; i < kCount; i++) host[i] = i;
  cudaMemcpyAsync(values, host.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
  for (int& value : host) value = -1;
}

int main() {
  int *value, *wrong, *values, *pinned, pageable = 0, from_symbol = 0;
  cudaMalloc(&value, sizeof(int));
  cudaMalloc(&wrong, sizeof(int));
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMallocHost(&pinned, sizeof(int));
  *pinned = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemsetAsync(wrong, 0, sizeof(int), stream);
  set<<<1, 1, 0, stream>>>(value, 7);
  cudaMemcpyAsync(pinned, value, sizeof(int), cudaMemcpyDeviceToHost, stream);
  bool early = *pinned == 0;
  cudaMemcpyAsync(&pageable, value, sizeof(int), cudaMemcpyDeviceToHost, stream);
  int seen = pageable;
  cudaMemcpyToSymbolAsync(last_value, value, sizeof(int), 0, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpyFromSymbolAsync(&from_symbol, last_value, sizeof(int), 0, cudaMemcpyDeviceToHost, stream);
  seen = from_symbol == seen ? seen : -from_symbol;
  upload(values, stream);
  count_wrong<<<1, 32, 0, stream>>>(values, wrong);
  cudaMemcpyAsync(&pageable, wrong, sizeof(int), cudaMemcpyDeviceToHost, stream);
  std::printf("pageable result %d, pinned result %s, upload of what was freed: %s\n", seen,
              early ? "not there yet" : "there", pageable == 0 ? "right" : "wrong");
  return 0;
}
