#ifndef WORK_H
#define WORK_H
#include <cuda_runtime_api.h>
#ifdef __cplusplus
extern "C" {
#endif
void launch_number(int *out, int count, int rank, cudaStream_t stream);
void launch_double(int *values, int count, cudaStream_t stream);
#ifdef __cplusplus
}
#endif
#endif
