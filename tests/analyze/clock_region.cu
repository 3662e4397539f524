// A clock of the host is read behind the warm-up, in the loop, and once more behind the loop: all of the loop is timed.
// expect: region clock
// expect: in-region s1 no
// expect: in-region s2 yes
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

#include <chrono>
#include <cstdio>

__global__ void scale(float* rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rows[i] *= 0.5f;
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]), warm_up = atoi(argv[3]), rounds = atoi(argv[4]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, rank);
  const int n = 1 << 18;
  float* rows;
  cudaMalloc(&rows, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ncclBroadcast(rows, rows, n, ncclFloat, 0, comm, stream);
  std::chrono::steady_clock::time_point start;
  for (int i = 0; i < warm_up + rounds; i++) {
    if (i == warm_up) start = std::chrono::steady_clock::now();
    scale<<<n / 256, 256, 0, stream>>>(rows, n);
    ncclAllReduce(rows, rows, n, ncclFloat, ncclSum, comm, stream);
  }
  cudaStreamSynchronize(stream);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%g s\n", took.count());
}
