// Ranks as threads of an OpenMP region: the branch of one thread is followed, and so are those of the others.
// expect: ranks threads
// expect: site s1 ncclBroadcast send=x recv=x count=kCount type=ncclFloat comm=comm stream=stream peer=0 in-place
// expect: site s2 ncclReduce send=y recv=y count=kCount type=ncclFloat comm=comm stream=stream op=ncclSum peer=0 in-place
// expect: loop s1 none
// expect: consumer s1 scale x
// expect: producer s2 scale y
// expect-count: 2 site s
#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>
#include <stdio.h>

constexpr int kCount = 4096;

__global__ void scale(const float* x, float* y, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) y[i] = by * x[i];
}

int main() {
  int gpus;
  cudaGetDeviceCount(&gpus);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  float first = 0;
#pragma omp parallel num_threads(gpus) reduction(+ : first)
  {
    int me = omp_get_thread_num();
    cudaSetDevice(me);
    ncclComm_t comm;
    ncclCommInitRank(&comm, gpus, id, me);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float *x, *y;
    cudaMalloc(&x, kCount * sizeof(float));
    cudaMalloc(&y, kCount * sizeof(float));
    cudaMemset(x, 0, kCount * sizeof(float));
#pragma omp barrier
    ncclBroadcast(x, x, kCount, ncclFloat, 0, comm, stream);
    scale<<<kCount / 128, 128, 0, stream>>>(x, y, 1.0f + me);
    ncclReduce(y, y, kCount, ncclFloat, ncclSum, 0, comm, stream);
    cudaStreamSynchronize(stream);
    if (me == 0) cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
#pragma omp critical
    ncclCommDestroy(comm);
  }
  printf("%g\n", first);
}
