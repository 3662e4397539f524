// One thread makes all communicators, threads of OpenMP use them: regions go over the ranks as loops do.
// expect: ranks single_process
// expect: site s1 ncclAllReduce send=v[*] recv=v[*] count=kCount type=ncclInt comm=comms[*] stream=streams[*] op=ncclSum in-place
// expect: loop s1 iterations
// expect-count: 1 site s
#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>

constexpr int kCount = 1024, kGpusMax = 8;

int main() {
  int gpus;
  cudaGetDeviceCount(&gpus);
  ncclComm_t comms[kGpusMax];
  cudaStream_t streams[kGpusMax];
  int* v[kGpusMax];
  ncclCommInitAll(comms, gpus, nullptr);
#pragma omp parallel num_threads(gpus)
  {
    int d = omp_get_thread_num();
    cudaSetDevice(d);
    cudaStreamCreate(&streams[d]);
    cudaMalloc(&v[d], kCount * sizeof(int));
    cudaMemset(v[d], 0, kCount * sizeof(int));
  }
#pragma omp parallel for num_threads(gpus)
  for (int d = 0; d < gpus; d++) {
    cudaSetDevice(d);
    ncclAllReduce(v[d], v[d], kCount, ncclInt, ncclSum, comms[d], streams[d]);
    cudaStreamSynchronize(streams[d]);
  }
}
