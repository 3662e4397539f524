// stranger: buffers in objects that are moved, one pair a GPU, put into a vector by a loop without braces
// ranks: 2
// expect-output: GPU 1: 13
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>

#include <utility>
#include <vector>

struct Buffer {
  float* data = nullptr;
  Buffer() = default;
  explicit Buffer(int n) { cudaMalloc(&data, n * sizeof(float)); }
  Buffer(Buffer&& other) noexcept : data(std::exchange(other.data, nullptr)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data, other.data);
    return *this;
  }
  ~Buffer() {
    if (data) cudaFree(data);
  }
};

struct Pair {
  int device;
  Buffer x, y;
  Pair(int gpu, int n) : device(gpu) {
    cudaSetDevice(gpu);
    x = Buffer(n);
    y = Buffer(n);
  }
  Pair(Pair&&) = default;
};

__global__ void fill(float* x, int n, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value + i;
}

int main() {
  int n = 1024, gpus = 0;
  cudaGetDeviceCount(&gpus);
  std::vector<ncclComm_t> comms(gpus);
  std::vector<cudaStream_t> streams(gpus);
  ncclCommInitAll(comms.data(), gpus, nullptr);
  for (int g = 0; g < gpus; g++) {
    cudaSetDevice(g);
    cudaStreamCreate(&streams[g]);
  }
  std::vector<Pair> pairs;
  pairs.reserve(gpus);
  for (int g = 0; g < gpus; g++) pairs.emplace_back(g, n);
  for (int turn = 0; turn < 2; turn++) {
    for (int g = 0; g < gpus; g++) {
      cudaSetDevice(g);
      fill<<<n / 128, 128, 0, streams[g]>>>(pairs[g].x.data, n, g + turn);
    }
    ncclGroupStart();
    for (int g = 0; g < gpus; g++)
      ncclAllReduce(pairs[g].x.data, pairs[g].y.data, n, ncclFloat, ncclSum, comms[g], streams[g]);
    ncclGroupEnd();
    for (int g = 0; g < gpus; g++) {
      cudaSetDevice(g);
      cudaStreamSynchronize(streams[g]);
    }
  }
  for (int g = 0; g < gpus; g++) {
    float sixth = 0;
    cudaSetDevice(g);
    cudaMemcpy(&sixth, pairs[g].y.data + 5, sizeof sixth, cudaMemcpyDeviceToHost);
    printf("GPU %d: %g\n", g, sixth);
  }
  pairs.clear();
  for (int g = 0; g < gpus; g++) {
    cudaStreamDestroy(streams[g]);
    ncclCommDestroy(comms[g]);
  }
}
