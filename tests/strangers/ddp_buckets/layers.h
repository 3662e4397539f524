#pragma once
#include <cuda_runtime.h>
#include <stddef.h>

void init_weights(float* w, size_t n, cudaStream_t stream);
void backward(const float* w, float* grad, size_t n, int rank, int step, cudaStream_t stream);
void sgd(float* w, const float* grad, size_t n, float lr, cudaStream_t stream);
