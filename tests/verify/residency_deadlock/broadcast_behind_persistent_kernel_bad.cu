// A persistent kernel takes the shared memory of every multiprocessor until the host releases it, after a broadcast.
// ranks: 2
// expect-finding: residency_deadlock
#include <cuda/atomic>

#include "../../simulate/support.h"

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void serve(unsigned* stop, const int* settings, int* seen) {
  extern __shared__ int cache[];
  if (threadIdx.x == 0) {
    while (Flag(*stop).load(cuda::memory_order_acquire) == 0) {  // FAULT
    }
    cache[0] = *settings;
  }
  __syncthreads();
  if (threadIdx.x == 1) seen[blockIdx.x] = cache[0];
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  int multiprocessors = 0;
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  int blocks = multiprocessors;  // FAULT
  int cache_bytes = 0;
  CHECK(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CHECK(cudaFuncSetAttribute(serve, cudaFuncAttributeMaxDynamicSharedMemorySize, cache_bytes - 256));
  unsigned *stop, *device_stop;
  CHECK(cudaHostAlloc(&stop, sizeof(unsigned), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device_stop), stop, 0));
  Flag(*stop).store(0);
  int *settings, *seen;
  CHECK(cudaMalloc(&settings, sizeof(int)));
  CHECK(cudaMalloc(&seen, blocks * sizeof(int)));
  upload(settings, {ranks.rank + 40});
  cudaStream_t serving, sending;
  CHECK(cudaStreamCreateWithFlags(&serving, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&sending, cudaStreamNonBlocking));
  serve<<<blocks, 64, cache_bytes - 256, serving>>>(device_stop, settings, seen);         // FAULT
  CHECK(ncclBroadcast(settings, settings, 1, ncclInt, 0, ranks.comm, sending));          // FAULT
  CHECK(cudaStreamSynchronize(sending));                                                 // FAULT
  Flag(*stop).store(1, cuda::memory_order_release);
  CHECK(cudaStreamSynchronize(serving));
  long wrong = 0;
  for (int value : download(seen, blocks)) wrong += value != 40;
  CHECK(cudaStreamDestroy(sending));
  CHECK(cudaStreamDestroy(serving));
  CHECK(cudaFree(seen));
  CHECK(cudaFree(settings));
  CHECK(cudaFreeHost(stop));
  return ranks.verdict(wrong);
}
