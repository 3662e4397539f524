// Calls of the runtime that come down to others: old names, volumes, attributes of streams, occupancy.
// ranks: 1
// expect: ok
// expect: 0 wrong
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void increment(char* base, size_t pitch, int width, int height, int depth) {
  for (int z = 0; z < depth; z++)
    for (int y = 0; y < height; y++)
      if (threadIdx.x < (unsigned)width) base[(z * height + y) * pitch + threadIdx.x]++;
}

int main() {
  int wrong = 0;
  const int w = 20, h = 3, d = 4;
  cudaPitchedPtr volume;
  cudaExtent extent = make_cudaExtent(w, h, d);
  wrong += cudaMalloc3D(&volume, extent) != cudaSuccess;
  wrong += cudaMemset3D(volume, 5, extent) != cudaSuccess;
  increment<<<1, 32>>>((char*)volume.ptr, volume.pitch, w, h, d);
  wrong += cudaThreadSynchronize() != cudaSuccess;
  std::vector<char> host(w * h * d);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = volume;
  copy.dstPtr = make_cudaPitchedPtr(host.data(), w, w, h);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  wrong += cudaMemcpy3D(&copy) != cudaSuccess;
  for (char c : host) wrong += c != 6;

  cudaStream_t stream;
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1);
  cudaStreamAttrValue value;
  wrong += cudaStreamGetAttribute(stream, cudaStreamAttributePriority, &value) != cudaSuccess || value.priority != -1;
  value.accessPolicyWindow.num_bytes = 1024;
  wrong += cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) != cudaSuccess;
  cudaStreamDestroy(stream);

  size_t bytes = 0;
  int grid = 0, block = 0;
  wrong += cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, increment, 2, 128) != cudaSuccess || bytes < 16384;
  wrong += cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, increment) != cudaSuccess || block < 32;
  cudaFuncSetCacheConfig(increment, cudaFuncCachePreferL1);
  cudaDeviceProp old;
  cudaGetDeviceProperties(&old, 0);
  wrong += old.clockRate <= 0 || old.memoryClockRate <= 0;
  cudaFree(volume.ptr);
  cudaThreadExit();
  std::printf("%d wrong\n", wrong);
  return wrong;
}
