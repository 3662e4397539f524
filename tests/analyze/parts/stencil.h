#pragma once

#include <cuda_runtime_api.h>

void launch_sweep(const float* in, float* out, int width, int height, cudaStream_t stream);
