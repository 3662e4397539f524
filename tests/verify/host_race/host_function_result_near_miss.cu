// The host waits for the stream and so for the host function queued on it.
// ranks: 1
// expect: no findings
#include <cstdio>

constexpr int kCount = 64;

struct Summary {
  const int* values;
  long sum;
};

__global__ void fill(int* values) { values[threadIdx.x] = 5 * threadIdx.x; }

void summarise(void* argument) {
  auto* summary = static_cast<Summary*>(argument);
  long sum = 0;
  for (int i = 0; i < kCount; i++) sum += summary->values[i];
  summary->sum = sum;
}

int main() {
  int *device, *pinned;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&device, kCount * sizeof(int));
  cudaMallocHost(&pinned, kCount * sizeof(int));
  Summary summary{pinned, 0};
  fill<<<1, kCount, 0, stream>>>(device);
  cudaMemcpyAsync(pinned, device, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaLaunchHostFunc(stream, summarise, &summary);
  cudaStreamSynchronize(stream);
  long sum = summary.sum;
  std::printf("sum %ld\n", sum);
  cudaStreamSynchronize(stream);
  cudaFreeHost(pinned);
  cudaFree(device);
  cudaStreamDestroy(stream);
  return sum != 5 * kCount * (kCount - 1) / 2;
}
