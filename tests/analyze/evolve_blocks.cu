// Two balanced evolve blocks. A string that holds EVOLVE-BLOCK-START is no marker, and neither is this sentence.
// expect-count: 2 evolve-block line
// expect-count: 1 site s
// expect: producer s1 fill part
// expect: convertible s1 yes
// expect: region events
// expect-not: error
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

// EVOLVE-BLOCK-START
__global__ void fill(float* part, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) part[i] = i;
}
// EVOLVE-BLOCK-END

int main(int, char** argv) {
  int ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, atoi(argv[1]));
  const int n = 1 << 16;
  float *part, *whole;
  cudaMalloc(&part, n * sizeof(float));
  cudaMalloc(&whole, ranks * n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  puts("EVOLVE-BLOCK-END");

  cudaEventRecord(start, stream);
  // EVOLVE-BLOCK-START
  fill<<<n / 256, 256, 0, stream>>>(part, n);
  ncclAllGather(part, whole, n, ncclFloat, comm, stream);
  // EVOLVE-BLOCK-END
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);
}
