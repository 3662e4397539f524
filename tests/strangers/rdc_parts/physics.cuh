#ifndef PHYSICS_CUH
#define PHYSICS_CUH
#include <cuda_runtime.h>

extern __constant__ double relaxation_rate;
__device__ double relax(double value, double mean);
void set_rate(double rate);

#endif
