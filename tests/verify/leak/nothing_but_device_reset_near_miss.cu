// Memory, stream and event are never released one by one, but cudaDeviceReset releases all of the device's resources.
// ranks: 1
// expect: no findings
#include <cstdio>

__global__ void answer(int* out) { *out = 42; }

int main() {
  int *device, result = 0;
  cudaStream_t stream;
  cudaEvent_t done;
  cudaMalloc(&device, sizeof(int));
  cudaStreamCreate(&stream);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  answer<<<1, 1, 0, stream>>>(device);
  cudaMemcpyAsync(&result, device, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);
  std::printf("%d\n", result);
  cudaDeviceReset();
  return result != 42;
}
