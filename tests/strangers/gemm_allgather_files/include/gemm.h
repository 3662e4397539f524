#pragma once
#include <cuda_runtime.h>

// C = A B, row-major. Any sizes.
void gemm(const float* A, const float* B, float* C, int m, int n, int k, cudaStream_t stream);
