// thread_local variables: plain, with a constructor, and inside a function. Every host thread has its own.
// ranks: 2
// expect: ok
// expect: 0 wrong, 2 destroyed
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

std::atomic<int> destroyed{0};

struct Name {
  std::string text = "unset";
  ~Name() { destroyed++; }
};

thread_local int device = -1;
thread_local Name name;

int next_number() {
  static thread_local int number = 100;
  return ++number;
}

__global__ void store(int* out, int value) { *out = value; }

void work(int index, int* wrong) {
  device = index;
  name.text = "thread " + std::to_string(index);
  cudaSetDevice(device);
  int *out, result = 0;
  cudaMalloc(&out, sizeof(int));
  for (int round = 0; round < 3; round++) {
    store<<<1, 1>>>(out, device);
    cudaDeviceSynchronize();
    *wrong += next_number() != 101 + round;
  }
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(out);
  *wrong += result != index || device != index || name.text != "thread " + std::to_string(index);
}

int main() {
  std::vector<std::thread> threads;
  int wrong[2] = {};
  for (int i = 0; i < 2; i++) threads.emplace_back(work, i, &wrong[i]);
  for (std::thread& thread : threads) thread.join();
  int all = wrong[0] + wrong[1] + (device != -1);
  std::printf("%d wrong, %d destroyed\n", all, destroyed.load());
  return all;
}
