// cudaEventQuery does not wait: it only tells whether the event has come, and its answer is thrown away.
// ranks: 1
// expect-finding: host_race
#include <cstdio>
#include <thread>

constexpr int kCount = 300;

__global__ void cubes(long* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = static_cast<long>(i) * i * i;
}

void wait_for(cudaEvent_t event) {
  cudaEventQuery(event);  // FAULT
}

int main() {
  long *device, *host;
  cudaStream_t stream;
  cudaEvent_t copied;
  cudaMalloc(&device, kCount * sizeof(long));
  cudaHostAlloc(&host, kCount * sizeof(long), cudaHostAllocDefault);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
  cubes<<<3, 128, 0, stream>>>(device, kCount);
  cudaMemcpyAsync(host, device, kCount * sizeof(long), cudaMemcpyDeviceToHost, stream);  // FAULT
  cudaEventRecord(copied, stream);
  wait_for(copied);
  int wrong = 0;
  for (long i = 0; i < kCount; i++) wrong += host[i] != i * i * i;  // FAULT
  std::printf("%d wrong\n", wrong);
  cudaStreamSynchronize(stream);
  cudaEventDestroy(copied);
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
  cudaFree(device);
  return wrong != 0;
}
