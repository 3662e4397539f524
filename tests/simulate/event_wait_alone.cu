// An event that a stream waits for is work of that stream: synchronising with it waits for the event, also when nothing
// is queued behind the wait.
// ranks: 1
// expect: before the wait 0
// expect: not ready 1
// expect: after stream 1
// expect: after legacy stream 2
// expect: after device 3
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count_up(int* counter, int rounds) {
  int sum = *counter;
  for (int i = 0; i < rounds; i++) sum += (sum ^ i) == -1;
  *counter = sum + 1;
}

int main() {
  int* counter;
  cudaMallocHost(&counter, sizeof(int));
  *counter = 0;
  cudaStream_t works, waits, blocking;
  cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  std::printf("before the wait %d\n", *counter);

  count_up<<<1, 1, 0, works>>>(counter, 100000);
  cudaEventRecord(done, works);
  cudaStreamWaitEvent(waits, done, 0);
  std::printf("not ready %d\n", cudaStreamQuery(waits) == cudaErrorNotReady);
  cudaStreamSynchronize(waits);
  std::printf("after stream %d\n", *counter);

  count_up<<<1, 1, 0, works>>>(counter, 100000);
  cudaEventRecord(done, works);
  cudaStreamWaitEvent(blocking, done, 0);
  count_up<<<1, 1, 0, cudaStreamLegacy>>>(counter, 0);
  cudaStreamSynchronize(cudaStreamLegacy);
  std::printf("after legacy stream %d\n", *counter - 1);

  *counter = 2;
  count_up<<<1, 1, 0, works>>>(counter, 100000);
  cudaEventRecord(done, works);
  cudaStreamWaitEvent(waits, done, 0);
  cudaDeviceSynchronize();
  std::printf("after device %d\n", *counter);

  cudaEventDestroy(done);
  cudaStreamDestroy(works);
  cudaStreamDestroy(waits);
  cudaStreamDestroy(blocking);
  cudaFreeHost(counter);
}
