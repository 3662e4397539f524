// One process drives all GPUs: arrays of communicators, streams and buffers, one call a device in a group.
// expect: ranks single_process
// expect-count: 1 communicator
// expect-count: 1 site s
// expect-not: loop s1 chunks
// expect: operation ncclAllReduce in main loop=g=0;< kGpus;+1
// expect: operation fill in main loop=g=0;< kGpus;+1
// expect-count: 2 buffer data[
// expect: producer s1 fill data[0]
// expect: producer s1 fill data[1]
// expect-not: unordered
// expect: convertible s1 yes
// expect-count: 2 window
#include <cuda_runtime.h>
#include <nccl.h>

constexpr int kGpus = 2, kCount = 1 << 20;

__global__ void fill(float* data, float value) { data[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main() {
  int devices[kGpus] = {0, 1};
  ncclComm_t comms[kGpus];
  ncclCommInitAll(comms, kGpus, devices);
  cudaStream_t streams[kGpus];
  float* data[kGpus];
  for (int g = 0; g < kGpus; ++g) {
    cudaSetDevice(g);
    cudaStreamCreate(&streams[g]);
    cudaMalloc(&data[g], kCount * sizeof(float));
  }
  for (int g = 0; g < kGpus; ++g) {
    cudaSetDevice(g);
    fill<<<kCount / 256, 256, 0, streams[g]>>>(data[g], g);
  }
  ncclGroupStart();
  for (int g = 0; g < kGpus; ++g) ncclAllReduce(data[g], data[g], kCount, ncclFloat, ncclSum, comms[g], streams[g]);
  ncclGroupEnd();
  for (int g = 0; g < kGpus; ++g) {
    cudaSetDevice(g);
    cudaStreamSynchronize(streams[g]);
    cudaFree(data[g]);
    ncclCommDestroy(comms[g]);
  }
}
