// A struct of pointers passed to kernels by value: each field has an access of its own.
// expect: kernel route b.tokens:read b.weights:read b.routed:write b.arrived:none b.result:none b.bias:none
// expect: kernel combine b.tokens:none b.weights:read b.routed:none b.arrived:read b.result:read_write b.bias:none
// expect: producer s1 route batch.routed
// expect: consumer s1 combine batch.arrived
// expect: site s1 ncclAlltoAll send=batch.routed recv=batch.arrived count=share type=ncclFloat comm=comm stream=stream
// expect-not: producer s1 route batch.tokens
// expect-not: buffer batch.bias
// expect-not: overlap s1 combine
// expect-count: 2 window
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

struct Batch {
  const float* tokens;
  const float* weights;
  float* routed;
  float* arrived;
  float* result;
  const float* bias;
  int count;
};

__global__ void route(Batch b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.count) b.routed[i] = b.tokens[i] * b.weights[i];
}

__global__ void combine(const Batch b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < b.count) b.result[i] += b.arrived[i] * b.weights[i];
}

int main(int, char** argv) {
  int rank = atoi(argv[1]), ranks = atoi(argv[2]);
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, ranks, id, rank);
  const int share = 1 << 16;
  Batch batch = {};
  batch.count = share * ranks;
  cudaMalloc((void**)&batch.tokens, batch.count * sizeof(float));
  cudaMalloc((void**)&batch.weights, batch.count * sizeof(float));
  cudaMalloc(&batch.routed, batch.count * sizeof(float));
  cudaMalloc(&batch.arrived, batch.count * sizeof(float));
  cudaMalloc(&batch.result, batch.count * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  route<<<batch.count / 256, 256, 0, stream>>>(batch);
  ncclAlltoAll(batch.routed, batch.arrived, share, ncclFloat, comm, stream);
  combine<<<batch.count / 256, 256, 0, stream>>>(batch);
  cudaStreamSynchronize(stream);
}
