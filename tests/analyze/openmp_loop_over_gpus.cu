// A loop over GPUs that threads share is no loop around a rank's work.
// expect: ranks threads
// expect: site s1 ncclAllReduce send=v[*] recv=v[*] count=kCount type=ncclInt comm=comms[*] stream=streams[*] op=ncclSum in-place
// expect: loop s1 none
// expect-count: 1 site s
#include <cuda_runtime.h>
#include <nccl.h>

constexpr int kCount = 1024, kGpusMax = 8;

int main() {
  int gpus, host[kCount];
  cudaGetDeviceCount(&gpus);
  ncclComm_t comms[kGpusMax];
  cudaStream_t streams[kGpusMax];
  int* v[kGpusMax];
  ncclUniqueId id;
  ncclGetUniqueId(&id);
#pragma omp parallel for
  for (int i = 0; i < kCount; i++) host[i] = i;
#pragma omp parallel for num_threads(gpus)
  for (int d = 0; d < gpus; d++) {
    cudaSetDevice(d);
    ncclCommInitRank(&comms[d], gpus, id, d);
    cudaStreamCreate(&streams[d]);
    cudaMalloc(&v[d], kCount * sizeof(int));
    cudaMemcpy(v[d], host, kCount * sizeof(int), cudaMemcpyHostToDevice);
    ncclAllReduce(v[d], v[d], kCount, ncclInt, ncclSum, comms[d], streams[d]);
    cudaStreamSynchronize(streams[d]);
  }
}
