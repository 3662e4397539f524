// stranger: OpenMP: a thread of a parallel region drives a GPU, barriers between the phases, reduction of errors by the clause
// flags: -Xcompiler -fopenmp
// ranks: 4
// arguments: 256
// expect-output: 4 threads, max abs diff 0
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <nccl.h>
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(call)                                                                       \
  do {                                                                                         \
    cudaError_t status_ = call;                                                                \
    if (status_ != cudaSuccess) {                                                              \
      fprintf(stderr, "CUDA error (%s:%d): %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      exit(EXIT_FAILURE);                                                                      \
    }                                                                                          \
  } while (0)

#define CHECK_NCCL(call)                                                                       \
  do {                                                                                         \
    ncclResult_t status_ = call;                                                               \
    if (status_ != ncclSuccess) {                                                              \
      fprintf(stderr, "NCCL error (%s:%d): %s\n", __FILE__, __LINE__, ncclGetErrorString(status_)); \
      exit(EXIT_FAILURE);                                                                      \
    }                                                                                          \
  } while (0)

__global__ void saxpy_rows(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 22;
  int ngpu = 0;
  CHECK_CUDA(cudaGetDeviceCount(&ngpu));
  ncclUniqueId id;
  CHECK_NCCL(ncclGetUniqueId(&id));
  std::vector<ncclComm_t> comms(ngpu);
  std::vector<double> times(ngpu);
  double diff = 0.0;

#pragma omp parallel num_threads(ngpu) reduction(max : diff)
  {
    const int tid = omp_get_thread_num();
    CHECK_CUDA(cudaSetDevice(tid));
    CHECK_NCCL(ncclCommInitRank(&comms[tid], ngpu, id, tid));
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreate(&stream));
    float *x, *y;
    CHECK_CUDA(cudaMalloc(&x, n * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&y, n * sizeof(float)));
    std::vector<float> h(n);
    for (int i = 0; i < n; ++i) h[i] = (float)(i % 17 + tid);
    CHECK_CUDA(cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(y, 0, n * sizeof(float)));
#pragma omp barrier
    const double t = omp_get_wtime();
    // The root's x goes to all, then everyone's y is added up on the root.
    CHECK_NCCL(ncclBroadcast(x, x, n, ncclFloat, 0, comms[tid], stream));
    saxpy_rows<<<(n + 127) / 128, 128, 0, stream>>>(y, x, 1.0f + tid, n);
    CHECK_NCCL(ncclReduce(y, y, n, ncclFloat, ncclSum, 0, comms[tid], stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    times[tid] = omp_get_wtime() - t;
#pragma omp barrier
    if (tid == 0) {
      CHECK_CUDA(cudaMemcpy(h.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
      for (int i = 0; i < n; ++i) diff = std::fmax(diff, std::fabs(h[i] - (i % 17) * (ngpu * (ngpu + 1) / 2)));
    }
    CHECK_CUDA(cudaFree(x));
    CHECK_CUDA(cudaFree(y));
    CHECK_CUDA(cudaStreamDestroy(stream));
#pragma omp critical
    CHECK_NCCL(ncclCommDestroy(comms[tid]));
  }
  printf("%d threads, max abs diff %g\n", ngpu, diff);
  return diff == 0.0 ? 0 : 1;
}
