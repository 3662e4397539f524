// A float is stepped by an eighth until it equals one; eighths are exact, so it does.
// ranks: 3
// expect: no findings
#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

constexpr float kStep = 0.125f;

std::atomic<int> wrong{0};

__global__ void integrate(float slope, float* area, unsigned* steps) {
  float sum = 0;
  for (float t = 0; t != 1.0f; t += kStep) {
    sum += slope * t * kStep;
    atomicAdd(steps, 1u);
  }
  *area = sum;
}

void run_rank(int rank, int count, ncclUniqueId id) {
  CHECK(cudaSetDevice(rank));
  ncclComm_t comm;
  CHECK(ncclCommInitRank(&comm, count, id, rank));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float* area;
  unsigned* steps;
  CHECK(cudaMalloc(&area, sizeof(float)));
  CHECK(cudaMalloc(&steps, sizeof(unsigned)));
  CHECK(cudaMemsetAsync(steps, 0, sizeof(unsigned), stream));
  integrate<<<1, 1, 0, stream>>>(static_cast<float>(rank + 1), area, steps);
  CHECK(ncclAllReduce(area, area, 1, ncclFloat, ncclSum, comm, stream));
  float got = 0;
  CHECK(cudaMemcpyAsync(&got, area, sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  // Left sums of slope * t over eight steps: slope * 28 / 64.
  wrong += got != 6.0f * 28.0f / 64.0f;
  CHECK(cudaFree(steps));
  CHECK(cudaFree(area));
  CHECK(cudaStreamDestroy(stream));
  CHECK(ncclCommDestroy(comm));
}

int main() {
  const int count = 3;
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++) threads.emplace_back(run_rank, rank, count, id);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
