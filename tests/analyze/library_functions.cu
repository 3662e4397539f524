// A library without main: every function nobody calls is an entry, and what its parameters point to is unknown.
// expect: buffer query external bytes=none frees=0
// expect: buffer context external bytes=none frees=0
// expect: blocker s1 its communicator `comm` comes from code that cannot be seen
// expect: staged s1 `context` comes from code that cannot be seen, so it cannot be allocated as a window
// expect: convertible s1 no
// expect: producer s1 attention context
// expect: kernel attention query:read context:write
// expect: ranks unknown
// expect: stream stream external
// expect-count: 2 site s
// expect-count: 1 operation attention in
// expect: operation ncclBroadcast in broadcast_prompt
// expect-count: 0 window
#include <cuda_runtime.h>
#include <nccl.h>

__global__ void attention(const float* query, float* context, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width) context[i] = query[i] / width;
}

static void launch_attention(const float* query, float* context, int width, cudaStream_t stream) {
  attention<<<(width + 127) / 128, 128, 0, stream>>>(query, context, width);
}

ncclResult_t parallel_attention(const float* query, float* context, int width, ncclComm_t comm, cudaStream_t stream) {
  launch_attention(query, context, width, stream);
  return ncclAllReduce(context, context, width, ncclFloat, ncclSum, comm, stream);
}

ncclResult_t broadcast_prompt(int* prompt, int length, int root, ncclComm_t comm, cudaStream_t stream) {
  return ncclBroadcast(prompt, prompt, length, ncclInt32, root, comm, stream);
}
