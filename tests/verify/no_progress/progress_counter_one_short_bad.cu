// The host polls mapped memory until the kernel reports its last step; steps count from zero, so it never does.
// ranks: 1
// expect-finding: no_progress
#include <cstdio>
#include <cuda/atomic>
#include <thread>

constexpr int kSteps = 5;
constexpr int kThreads = 64;

struct Report {
  int step;
  int sums[kSteps];
};

using Step = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void work(int* values, Report* report) {
  for (int step = 0; step < kSteps; step++) {
    values[threadIdx.x] += step;
    __syncthreads();
    if (threadIdx.x == 0) {
      int sum = 0;
      for (int i = 0; i < kThreads; i++) sum += values[i];
      report->sums[step] = sum;
      Step(report->step).store(step, cuda::memory_order_release);  // FAULT
    }
    __syncthreads();
  }
}

void wait_for_step(Report* report, int step) {
  while (Step(report->step).load(cuda::memory_order_acquire) < step) std::this_thread::yield();  // FAULT
}

int main() {
  Report *report, *device_report;
  cudaHostAlloc(&report, sizeof(Report), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device_report, report, 0);
  report->step = 0;
  int* values;
  cudaMalloc(&values, kThreads * sizeof(int));
  cudaMemset(values, 0, kThreads * sizeof(int));
  work<<<1, kThreads>>>(values, device_report);
  wait_for_step(report, kSteps);  // FAULT
  int wrong = 0, expected = 0;
  for (int step = 0; step < kSteps; step++) wrong += report->sums[step] != kThreads * (expected += step);
  cudaDeviceSynchronize();
  std::printf("%d wrong\n", wrong);
  cudaFree(values);
  cudaFreeHost(report);
  return wrong != 0;
}
