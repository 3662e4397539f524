#include "layers.h"

#include <stdio.h>

#define LAUNCH_CHECK()                                                             \
  do {                                                                             \
    cudaError_t launch_error = cudaGetLastError();                                 \
    if (launch_error != cudaSuccess) printf("%s\n", cudaGetErrorString(launch_error)); \
  } while (0)
__global__ void init_kernel(float* w, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    w[i] = 0.001f * (i % 1000);
}

// The gradient of a quadratic whose minimum differs by rank and step.
__global__ void backward_kernel(const float* w, float* grad, size_t n, float target) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) grad[i] = w[i] - target;
}

__global__ void sgd_kernel(float* w, const float* grad, size_t n, float lr) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) w[i] -= lr * grad[i];
}

void init_weights(float* w, size_t n, cudaStream_t stream) {
  init_kernel<<<64, 128, 0, stream>>>(w, n);
  LAUNCH_CHECK();
}

void backward(const float* w, float* grad, size_t n, int rank, int step, cudaStream_t stream) {
  backward_kernel<<<(n + 127) / 128, 128, 0, stream>>>(w, grad, n, 0.5f - 0.01f * (rank - step));
  LAUNCH_CHECK();
}

void sgd(float* w, const float* grad, size_t n, float lr, cudaStream_t stream) {
  sgd_kernel<<<(n + 127) / 128, 128, 0, stream>>>(w, grad, n, lr);
  LAUNCH_CHECK();
}
