// Two streams ordered by an event, a host callback, and times that grow.
// ranks: 1
// expect: ok
// expect: value 42, callback 42, time moves
#include <cstdio>

__global__ void set(int* value, int to) { *value = to; }
__global__ void add(int* value, int amount) { *value += amount; }

int main() {
  int *value, seen = 0, result = 0;
  cudaMalloc(&value, sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, -1);
  cudaEvent_t begin, done, end;
  cudaEventCreate(&begin);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventCreate(&end);
  cudaEventRecord(begin, first);
  set<<<1, 1, 0, first>>>(value, 40);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  add<<<1, 1, 0, second>>>(value, 2);
  cudaMemcpyAsync(&result, value, sizeof(int), cudaMemcpyDeviceToHost, second);
  auto note = [](void* pointers) {
    auto* pair = static_cast<int**>(pointers);
    *pair[0] = *pair[1];
  };
  int* pair[] = {&seen, &result};
  cudaLaunchHostFunc(second, note, pair);
  cudaEventRecord(end, second);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  std::printf("value %d, callback %d, time %s\n", result, seen, ms > 0.005f ? "moves" : "stands still");
  return 0;
}
