// The producer waits for a credit that a kernel on another stream gives, and that kernel waits for the producer by an event.
// ranks: 1
// expect-finding: deadlock
#include <cstdio>
#include <cuda/atomic>

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void prepare(int* values) { values[threadIdx.x] = static_cast<int>(threadIdx.x); }

__global__ void produce(unsigned* credit, int* values) {
  if (threadIdx.x == 0)
    while (Word(*credit).load(cuda::memory_order_acquire) == 0) {  // FAULT
    }
  __syncthreads();
  values[threadIdx.x] += 100;
}

__global__ void give_credit(unsigned* credit) { Word(*credit).store(1, cuda::memory_order_release); }

int main() {
  constexpr int kCount = 64;
  int* values;
  unsigned* credit;
  cudaStream_t producing, crediting;
  cudaEvent_t ready;
  cudaMalloc(&values, kCount * sizeof(int));
  cudaMalloc(&credit, sizeof(unsigned));
  cudaMemset(credit, 0, sizeof(unsigned));
  cudaDeviceSynchronize();
  cudaStreamCreateWithFlags(&producing, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&crediting, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  prepare<<<1, kCount, 0, producing>>>(values);
  produce<<<1, kCount, 0, producing>>>(credit, values);  // FAULT
  cudaEventRecord(ready, producing);  // FAULT
  cudaStreamWaitEvent(crediting, ready, 0);
  give_credit<<<1, 1, 0, crediting>>>(credit);
  cudaStreamSynchronize(producing);  // FAULT
  cudaStreamSynchronize(crediting);
  int host[kCount], wrong = 0;
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; i++) wrong += host[i] != i + 100;
  std::printf("%d wrong\n", wrong);
  cudaEventDestroy(ready);
  cudaStreamDestroy(producing);
  cudaStreamDestroy(crediting);
  cudaFree(credit);
  cudaFree(values);
  return wrong != 0;
}
