// The consumer runs on another stream than the producer and waits for the event that follows it.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <vector>

constexpr int kCount = 1024;

__global__ void produce(int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = 3 * i;
}

__global__ void consume(const int* values, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = values[kCount - 1 - i] + 1;
}

int main() {
  int *values, *out;
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMalloc(&out, kCount * sizeof(int));
  cudaMemset(values, 0, kCount * sizeof(int));
  cudaDeviceSynchronize();
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t produced;
  cudaEventCreateWithFlags(&produced, cudaEventDisableTiming);
  produce<<<4, 256, 0, first>>>(values);
  cudaEventRecord(produced, first);
  cudaStreamWaitEvent(second, produced, 0);
  consume<<<4, 256, 0, second>>>(values, out);
  std::vector<int> host(kCount);
  cudaMemcpyAsync(host.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost, second);
  cudaStreamSynchronize(second);
  cudaStreamSynchronize(first);
  int wrong = 0;
  for (int i = 0; i < kCount; i++) wrong += host[i] != 3 * (kCount - 1 - i) + 1;
  std::printf("%d wrong\n", wrong);
  cudaEventDestroy(produced);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(out);
  cudaFree(values);
  return wrong != 0;
}
