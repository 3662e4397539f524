#include "kernels.cuh"

namespace {
constexpr int kThreads = 64;
int blocks(int n) { return (n + kThreads - 1) / kThreads; }

__global__ void spmv(const int* __restrict__ start, const int* __restrict__ column, const double* __restrict__ value,
                     const double* __restrict__ x, double* __restrict__ y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double s = 0;
  for (int i = start[r]; i < start[r + 1]; i++) s += value[i] * x[column[i]];
  y[r] = s;
}

__global__ void dot(const double* a, const double* b, double* out, int n) {
  __shared__ double part[kThreads];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += kThreads) s += a[i] * b[i];
  part[threadIdx.x] = s;
  for (int h = kThreads / 2; h; h >>= 1) {
    __syncthreads();
    if (threadIdx.x < h) part[threadIdx.x] += part[threadIdx.x + h];
  }
  if (threadIdx.x == 0) *out = part[0];
}

__global__ void axpy(double a, const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

__global__ void xpby(const double* x, double b, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + b * y[i];
}

__global__ void set(double* x, double v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = v;
}
}  // namespace

void launch_spmv(const int* start, const int* column, const double* value, const double* x, double* y, int rows, cudaStream_t s) {
  spmv<<<blocks(rows), kThreads, 0, s>>>(start, column, value, x, y, rows);
}
void launch_dot(const double* a, const double* b, double* out, int n, cudaStream_t s) { dot<<<1, kThreads, 0, s>>>(a, b, out, n); }
void launch_axpy(double a, const double* x, double* y, int n, cudaStream_t s) { axpy<<<blocks(n), kThreads, 0, s>>>(a, x, y, n); }
void launch_xpby(const double* x, double b, double* y, int n, cudaStream_t s) { xpby<<<blocks(n), kThreads, 0, s>>>(x, b, y, n); }
void launch_set(double* x, double v, int n, cudaStream_t s) { set<<<blocks(n), kThreads, 0, s>>>(x, v, n); }
