#pragma once
#include <cuda_runtime.h>

void launch_spmv(const int* start, const int* column, const double* value, const double* x, double* y, int rows, cudaStream_t s);
void launch_dot(const double* a, const double* b, double* out, int n, cudaStream_t s);
void launch_axpy(double a, const double* x, double* y, int n, cudaStream_t s);
void launch_xpby(const double* x, double b, double* y, int n, cudaStream_t s);
void launch_set(double* x, double v, int n, cudaStream_t s);
