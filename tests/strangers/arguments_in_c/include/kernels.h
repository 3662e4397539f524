#ifndef KERNELS_H
#define KERNELS_H
#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif
void fill(REAL* out, size_t count, int value, cudaStream_t stream);
#ifdef __cplusplus
}
#endif
#endif
