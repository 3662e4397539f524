// A step captured into a CUDA graph and replayed: its collective is fixed in the graph; the one before it is not.
// expect: site s1 ncclBroadcast send=weights recv=weights count=n type=ncclFloat comm=comm stream=stream peer=0 in-place
// expect: site s2 ncclAllReduce send=grads recv=grads count=n type=ncclFloat comm=comm stream=stream op=ncclAvg in-place
// expect: blocker s2 it is captured into a CUDA graph, whose nodes are fixed
// expect: convertible s2 no
// expect: convertible s1 yes
// expect-not: window grads
// expect: window weights
// expect: operation cudaGraphLaunch in main loop=epoch=0;< 100;+1
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

__global__ void gradient(const float* weights, float* grads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grads[i] = weights[i] - 1;
}

__global__ void descend(float* weights, const float* grads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) weights[i] -= 0.1f * grads[i];
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 20;
  float *weights, *grads;
  cudaMalloc(&weights, n * sizeof(float));
  cudaMalloc(&grads, n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ncclBroadcast(weights, weights, n, ncclFloat, 0, comm, stream);
  cudaStreamSynchronize(stream);

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  gradient<<<n / 256, 256, 0, stream>>>(weights, grads, n);
  ncclAllReduce(grads, grads, n, ncclFloat, ncclAvg, comm, stream);
  descend<<<n / 256, 256, 0, stream>>>(weights, grads, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int epoch = 0; epoch < 100; ++epoch) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
}
