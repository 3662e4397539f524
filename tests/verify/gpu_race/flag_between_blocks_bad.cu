// One block hands data to another by a volatile flag, which says nothing about the order of the data.
// ranks: 1
// expect-finding: gpu_race
#include <cstdio>
#include <cuda/atomic>
#include <vector>

constexpr int kCount = 128;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ void produce(int* data, int* flag) {
  data[threadIdx.x] = 7 * threadIdx.x;  // FAULT
  __syncthreads();
  if (threadIdx.x == 0) *static_cast<volatile int*>(flag) = 1;  // FAULT
}

__device__ void consume(const int* data, int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*static_cast<volatile int*>(flag) == 0) {  // FAULT
    }
  }
  __syncthreads();
  out[threadIdx.x] = data[kCount - 1 - threadIdx.x];  // FAULT
}

__global__ void hand_over(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    produce(data, flag);
  } else {
    consume(data, flag, out);
  }
}

int main() {
  int *data, *flag, *out;
  cudaMalloc(&data, kCount * sizeof(int));
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&out, kCount * sizeof(int));
  cudaMemset(data, 0, kCount * sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  hand_over<<<2, kCount>>>(data, flag, out);
  std::vector<int> host(kCount);
  cudaMemcpy(host.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != 7 * (kCount - 1 - i);
  std::printf("%d wrong\n", wrong);
  for (int* buffer : {data, flag, out}) cudaFree(buffer);
  return wrong != 0;
}
