// Layers in a container, walked by range-for; scalars are made and freed by walking an initializer list.
// expect: operation ncclAllReduce in main loop=layer=none;layers;none
// expect: loop s1 chunks
// expect: paths s1 1
// expect: producer s1 backward layers[0].grad
// expect: producer s1 backward layers[1].grad
// expect-count: 2 buffer layers[
// expect: window layers[1].grad
// expect: buffer loss device bytes=4 frees=1
// expect: buffer scale device bytes=4 frees=1
// expect-not: window loss
// expect-not: external
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

struct Layer {
  float* grad;
  int size;
};

__global__ void backward(float* grad, const float* loss, const float* scale, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) grad[i] = *loss * *scale;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  Layer layers[2] = {{nullptr, 1 << 20}, {nullptr, 1 << 12}};
  float *loss, *scale;
  for (float** scalar : {&loss, &scale}) cudaMalloc(scalar, sizeof(float));
  for (Layer& layer : layers) cudaMalloc(&layer.grad, layer.size * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (const Layer& layer : layers) {
    backward<<<layer.size / 256, 256, 0, stream>>>(layer.grad, loss, scale, layer.size);
    ncclAllReduce(layer.grad, layer.grad, layer.size, ncclFloat, ncclAvg, comm, stream);
  }
  cudaStreamSynchronize(stream);
  for (float* scalar : {loss, scale}) cudaFree(scalar);
}
