// Ranks as threads of one process: every device has its own copy of a __device__ variable.
// ranks: 3
// expect: ok
// expect: 105 205 305
#include <cstdio>
#include <thread>
#include <vector>

__device__ int counter = 5;
__constant__ int step;

__global__ void advance() { atomicAdd(&counter, step); }

int main() {
  const int count = 3;
  std::vector<int> seen(count);
  std::vector<std::thread> threads;
  for (int device = 0; device < count; device++)
    threads.emplace_back([device, &seen] {
      cudaSetDevice(device);
      int amount = device + 1;
      cudaMemcpyToSymbol(step, &amount, sizeof amount);
      advance<<<10, 10>>>();
      cudaMemcpyFromSymbol(&seen[device], counter, sizeof(int));
    });
  for (std::thread& thread : threads) thread.join();
  std::printf("%d %d %d\n", seen[0], seen[1], seen[2]);
  return 0;
}
