// Two ranks that are threads of one process: each puts out what the other was given. Written for the stand-in of a CUDA
// runtime.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cuco/harness.h"

namespace {

constexpr int kCount = 64;
float* inputs[2];

void run_rank(int rank, int argc, char** argv) {
  cuco::Harness harness(rank, 2, argc, argv);
  float* out = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&inputs[rank]), sizeof(float) * kCount);
  cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float) * kCount);
  harness.input("in", inputs[rank], kCount, cuco::uniform(0, 1));
  harness.output("out", out, kCount, cuco::exact());
  harness.run([&] {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    std::copy(inputs[1 - rank], inputs[1 - rank] + kCount, out);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::thread other(run_rank, 1, argc, argv);
  run_rank(0, argc, argv);
  other.join();
}
