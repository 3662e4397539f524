// Calls and instructions that the virtual cluster does not have, beside some that only look so.
#include <cuda_runtime.h>
#include <mpi.h>

#include <cstdio>

// Nothing refers to it, so it is not part of the program.
static inline void unused() { cudaIpcCloseMemHandle(nullptr); }

template <typename T>
void share(T* pointer) {
  cudaIpcMemHandle_t handle;
  cudaIpcGetMemHandle(&handle, pointer);
}

__global__ void child(float* data) { data[threadIdx.x] = 1; }

__global__ void kernel(float* data) {
  asm volatile("wgmma.fence.sync.aligned;");
  child<<<1, 32>>>(data);
}

int main() {
  float* data = nullptr;
  cudaMalloc(&data, 128);
  share(data);
  cudaGraph_t graph;  // Made node by node, which is supported.
  cudaGraphCreate(&graph, 0);
  cudaTextureObject_t texture = 0;
  std::printf("ran\n");
  kernel<<<1, 32>>>(data);
}
