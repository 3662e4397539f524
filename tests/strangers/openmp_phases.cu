// stranger: OpenMP: each thread keeps its GPU's state in variables of the region; single, critical, master and a shared loop
// flags: --compiler-options -fopenmp
// ranks: 4
// arguments: 2048
// expect-output: sum 4194304 of 4 threads: PASS
// convert: lsa gin
// share: all
// Every thread sums up its part of the numbers on its GPU, the parts are shifted around the ring and added again.
#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                                   \
  do {                                                                             \
    int code_ = (int)(call);                                                       \
    if (code_ != 0) printf("%s:%d: %d\n", __FILE__, __LINE__, code_), exit(1);     \
  } while (0)

__global__ void fill(int* v, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v[i] = value;
}
__global__ void add(int* to, const int* from, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] += from[i];
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  int gpus;
  OK(cudaGetDeviceCount(&gpus));
  omp_set_num_threads(gpus);
  ncclUniqueId id;
  long total = 0;
  int team = 0;
  float slowest = 0;

#pragma omp parallel
  {
    int me = omp_get_thread_num(), ranks = omp_get_num_threads();
    ncclComm_t comm;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    int *mine, *theirs, *host = (int*)malloc(n * sizeof(int));
#pragma omp single
    OK(ncclGetUniqueId(&id));
    OK(cudaSetDevice(me));
    OK(ncclCommInitRank(&comm, ranks, id, me));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaMalloc((void**)&mine, n * sizeof(int)));
    OK(cudaMalloc((void**)&theirs, n * sizeof(int)));

    fill<<<32, 128, 0, stream>>>(mine, n, 256);
    OK(cudaEventRecord(begin, stream));
    OK(ncclGroupStart());
    OK(ncclSend(mine, n, ncclInt, (me + 1) % ranks, comm, stream));
    OK(ncclRecv(theirs, n, ncclInt, (me + ranks - 1) % ranks, comm, stream));
    OK(ncclGroupEnd());
    add<<<32, 128, 0, stream>>>(mine, theirs, n);
    OK(cudaEventRecord(end, stream));
    OK(cudaStreamSynchronize(stream));
    float ms;
    OK(cudaEventElapsedTime(&ms, begin, end));

    OK(cudaMemcpy(host, mine, n * sizeof(int), cudaMemcpyDeviceToHost));
    long sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
#pragma omp critical
    {
      total += sum;
      if (ms > slowest) slowest = ms;
    }
#pragma omp master
    team = ranks;
#pragma omp barrier
    OK(cudaFree(mine));
    OK(cudaFree(theirs));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(stream));
    OK(ncclCommDestroy(comm));
    free(host);
  }
  printf("sum %ld of %d threads: %s\n", total, team, total == 512L * n * team ? "PASS" : "FAIL");
  return total == 512L * n * team ? 0 : 1;
}
