// A graph made node by node: a memset, two kernels beside each other, a copy, a host function; launched twice, the second
// time with other parameters.
// ranks: 1
// expect: ok
// expect: 3 5, then 3 15; 2 calls
#include <cstdio>

__global__ void add(int* values, int at, int amount) { values[at] += amount; }
static void count(void* calls) { ++*static_cast<int*>(calls); }

int main() {
  int *values, *host, calls = 0, first = 0, second = 1, three = 3, five = 5;
  cudaMalloc(&values, 2 * sizeof(int));
  cudaMallocHost(&host, 2 * sizeof(int));
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t clear, left, right, copy, call;
  cudaMemsetParams zero = {};
  zero.dst = values, zero.elementSize = 4, zero.width = 2, zero.height = 1;
  cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero);
  void* left_arguments[] = {&values, &first, &three};
  void* right_arguments[] = {&values, &second, &five};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void*)add;
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = left_arguments;
  cudaGraphAddKernelNode(&left, graph, &clear, 1, &kernel);
  kernel.kernelParams = right_arguments;
  cudaGraphAddKernelNode(&right, graph, &clear, 1, &kernel);
  cudaGraphNode_t both[] = {left, right};
  cudaGraphAddMemcpyNode1D(&copy, graph, both, 2, host, values, 2 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaHostNodeParams function = {count, &calls};
  cudaGraphAddHostNode(&call, graph, &copy, 1, &function);

  cudaGraphExec_t exec;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d, then ", host[0], host[1]);
  five = 15;
  cudaGraphExecKernelNodeSetParams(exec, right, &kernel);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d; %d calls\n", host[0], host[1], calls);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFreeHost(host);
  cudaFree(values);
  return 0;
}
