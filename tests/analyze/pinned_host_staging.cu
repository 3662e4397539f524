// Pinned host memory stages what is sent; sending from it directly is possible too, but it cannot be a window.
// expect: buffer staging pinned_host bytes=1048576 frees=1
// expect: buffer scores pinned_host bytes=1048576 frees=1
// expect: copy cudaMemcpyAsync host_to_device bytes=bytes
// expect: copy cudaMemcpyAsync device_to_host bytes=bytes
// expect: producer s1 cudaMemcpyAsync batch
// expect: consumer s1 cudaMemcpyAsync all_batches
// expect: staged s2 `scores` is host memory, which cannot be a window
// expect: convertible s1 yes
// expect: convertible s2 yes
// expect-not: window staging
// expect-not: window scores
// expect-not: output staging
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

int main(int, char** argv) {
  int ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, atoi(argv[1]));
  const size_t count = 1 << 18, bytes = count * sizeof(float);
  float *staging, *scores, *batch, *all_batches;
  cudaMallocHost(&staging, bytes);
  cudaHostAlloc(&scores, bytes, cudaHostAllocMapped);
  cudaMalloc(&batch, bytes);
  cudaMalloc(&all_batches, ranks * bytes);
  for (size_t i = 0; i < count; ++i) staging[i] = i;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(batch, staging, bytes, cudaMemcpyHostToDevice, stream);
  ncclAllGather(batch, all_batches, count, ncclFloat, comm, stream);
  ncclAllReduce(scores, scores, count, ncclFloat, ncclSum, comm, stream);
  cudaMemcpyAsync(staging, all_batches, bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaFreeHost(staging);
  cudaFreeHost(scores);
}
