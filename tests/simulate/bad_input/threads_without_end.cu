// verdict: fault
// finding: abort: host thread 0: abort
#include <mutex>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

std::mutex gate;

int main() {
  gate.lock();
  std::vector<std::thread> threads;
  while (true) threads.emplace_back([] { gate.lock(); });
}
