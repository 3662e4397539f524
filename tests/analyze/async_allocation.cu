// Stream-ordered allocation before and inside the timed region: the first can become a window, the second goes through staging memory.
// expect-count: 1 buffer activations device_async
// expect-count: 1 buffer scratch device_async
// expect-count: 1 buffer result device bytes
// expect-not: bytes=4*(strtoull
// expect: convertible s1 yes
// expect: convertible s2 yes
// expect: staged s2 `scratch` is allocated inside the timed region by cudaMallocAsync, and registering a window there would be timed too
// expect: window activations
// expect-not: window scratch
// expect: producer s1 forward activations
// expect: consumer s2 cudaMemcpyAsync scratch
// expect: region events
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void forward(float* activations, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) activations[i] = i % 7;
}

int main(int argc, char** argv) {
  size_t count = strtoull(argv[1], nullptr, 10);
  int rank = atoi(argv[2]), ranks = atoi(argv[3]);
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float *activations, *scratch, *result;
  cudaMallocAsync(&activations, count * sizeof(float), stream);
  cudaMalloc(&result, count * sizeof(float));

  cudaEventRecord(begin, stream);
  forward<<<count / 256, 256, 0, stream>>>(activations, count);
  ncclAllReduce(activations, activations, count, ncclFloat, ncclMax, comm, stream);
  cudaMallocAsync((void**)&scratch, count * sizeof(float), stream);
  ncclBroadcast(activations, scratch, count, ncclFloat, 0, comm, stream);
  cudaMemcpyAsync(result, scratch, count * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(scratch, stream);
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  float ms;
  cudaEventElapsedTime(&ms, begin, end);
  cudaFreeAsync(activations, stream);
  cudaStreamSynchronize(stream);
}
