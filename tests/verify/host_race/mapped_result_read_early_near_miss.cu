// The kernel stores its results to mapped host memory, and the host reads them after the stream is done.
// ranks: 1
// expect: no findings
#include <cstdio>

constexpr int kBlocks = 8;

__global__ void count_primes(int per_block, int* counts) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  int number = blockIdx.x * per_block + threadIdx.x;
  bool prime = threadIdx.x < per_block && number > 1;
  for (int d = 2; d * d <= number; d++) prime = prime && number % d != 0;
  if (prime) atomicAdd(&found, 1);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

int main() {
  int *host, *mapped;
  cudaHostAlloc(&host, kBlocks * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&mapped, host, 0);
  for (int block = 0; block < kBlocks; block++) host[block] = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  count_primes<<<kBlocks, 64, 0, stream>>>(64, mapped);
  cudaStreamSynchronize(stream);
  int primes = 0;
  for (int block = 0; block < kBlocks; block++) primes += host[block];
  std::printf("%d primes below %d\n", primes, 64 * kBlocks);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
  return primes != 97;
}
