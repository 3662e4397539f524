// Memory, stream and event are left behind when the program ends.
// ranks: 1
// expect-finding: leak
#include <cstdio>

__global__ void answer(int* out) { *out = 42; }

int main() {
  int *device, result = 0;
  cudaStream_t stream;
  cudaEvent_t done;
  cudaMalloc(&device, sizeof(int));                         // FAULT
  cudaStreamCreate(&stream);                                // FAULT
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);  // FAULT
  answer<<<1, 1, 0, stream>>>(device);
  cudaMemcpyAsync(&result, device, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);
  std::printf("%d\n", result);
  return result != 42;
}
