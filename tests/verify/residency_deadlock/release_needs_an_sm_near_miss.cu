// Blocks that wait for a flag take every block slot of the GPU; the host sets it in mapped memory, which needs no SM.
// ranks: 1
// expect: no findings
#include <cstdio>
#include <cuda/atomic>

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

__global__ void wait_then_count(unsigned* gate, unsigned* passed) {
  if (threadIdx.x != 0) return;
  while (Flag(*gate).load(cuda::memory_order_acquire) == 0) {
  }
  atomicAdd(passed, 1u);
}

int main() {
  int multiprocessors = 0, resident = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, wait_then_count, 32, 0);
  unsigned *gate, *device_gate, *passed;
  cudaHostAlloc(&gate, sizeof(unsigned), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device_gate, gate, 0);
  *gate = 0;
  cudaMalloc(&passed, sizeof(unsigned));
  cudaMemset(passed, 0, sizeof(unsigned));
  cudaDeviceSynchronize();
  cudaStream_t waiting, releasing;
  cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&releasing, cudaStreamNonBlocking);
  wait_then_count<<<multiprocessors * resident, 32, 0, waiting>>>(device_gate, passed);
  Flag(*gate).store(1, cuda::memory_order_release);
  cudaStreamSynchronize(releasing);
  cudaStreamSynchronize(waiting);
  unsigned got = 0;
  cudaMemcpy(&got, passed, sizeof(unsigned), cudaMemcpyDeviceToHost);
  bool wrong = got != static_cast<unsigned>(multiprocessors * resident);
  std::printf("%d wrong\n", wrong);
  cudaStreamDestroy(releasing);
  cudaStreamDestroy(waiting);
  cudaFree(passed);
  cudaFreeHost(gate);
  return wrong;
}
