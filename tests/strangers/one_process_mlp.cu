// stranger: one process drives all GPUs: the products of cuBLAS on each, then the all-reduces of all in one group
// ranks: 4
// arguments: 4 64 64 128 2
// flags: -lcublas
// expect-output: PASSED
// convert: lsa gin
// share: all
// Tensor-parallel MLP on all GPUs of one node, driven by one process.
//   y = gelu(x W1) W2, W1 split by columns, W2 by rows, partial y summed with ncclAllReduce.
// ./tp_mlp [gpus] [tokens] [hidden] [ffn] [repeats]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>

#define DIE_IF(cond, ...)            \
  if (cond) {                        \
    std::fprintf(stderr, __VA_ARGS__); \
    std::fputc('\n', stderr);        \
    std::exit(EXIT_FAILURE);         \
  }
static void cu(cudaError_t e, int line) { DIE_IF(e != cudaSuccess, "line %d: %s", line, cudaGetErrorString(e)); }
static void nc(ncclResult_t e, int line) { DIE_IF(e != ncclSuccess, "line %d: %s", line, ncclGetErrorString(e)); }
static void cb(cublasStatus_t e, int line) { DIE_IF(e != CUBLAS_STATUS_SUCCESS, "line %d: cublas %d", line, int(e)); }
#define CU(x) cu((x), __LINE__)
#define NC(x) nc((x), __LINE__)
#define CB(x) cb((x), __LINE__)

struct Gpu {
  int id;
  cudaStream_t stream;
  cublasHandle_t blas;
  float *x, *w1, *h, *w2, *y;
};

__global__ void fill(float* p, size_t n, unsigned salt, float scale) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned v = (unsigned)(i * 2654435761u) ^ salt;
    v ^= v >> 15;
    p[i] = scale * ((int)(v % 7u) - 3);
  }
}

__global__ void gelu(float* h, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    float v = h[i];
    h[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}

// Row-major C[m,n] = A[m,k] B[k,n].
static void gemm(cublasHandle_t blas, int m, int n, int k, const float* a, const float* b, float* c) {
  const float one = 1.0f, zero = 0.0f;
  CB(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n));
}

int main(int argc, char* argv[]) {
  int available = 0;
  CU(cudaGetDeviceCount(&available));
  const int gpus = argc > 1 ? std::atoi(argv[1]) : available;
  const int tokens = argc > 2 ? std::atoi(argv[2]) : 4096;
  const int hidden = argc > 3 ? std::atoi(argv[3]) : 4096;
  const int ffn = argc > 4 ? std::atoi(argv[4]) : 4 * hidden;
  const int repeats = argc > 5 ? std::atoi(argv[5]) : 5;
  DIE_IF(gpus > available, "%d GPUs wanted, %d there", gpus, available);
  DIE_IF(ffn % gpus, "ffn %d is not a multiple of %d", ffn, gpus);
  const int part = ffn / gpus;

  std::vector<ncclComm_t> comms(gpus);
  NC(ncclCommInitAll(comms.data(), gpus, nullptr));
  std::vector<Gpu> g(gpus);
  for (int i = 0; i < gpus; ++i) {
    CU(cudaSetDevice(i));
    g[i].id = i;
    CU(cudaStreamCreate(&g[i].stream));
    CB(cublasCreate(&g[i].blas));
    CB(cublasSetStream(g[i].blas, g[i].stream));
    CU(cudaMalloc(&g[i].x, sizeof(float) * tokens * hidden));
    CU(cudaMalloc(&g[i].w1, sizeof(float) * hidden * part));
    CU(cudaMalloc(&g[i].h, sizeof(float) * tokens * part));
    CU(cudaMalloc(&g[i].w2, sizeof(float) * part * hidden));
    CU(cudaMalloc(&g[i].y, sizeof(float) * tokens * hidden));
    fill<<<256, 256, 0, g[i].stream>>>(g[i].x, (size_t)tokens * hidden, 1u, 0.25f);
    fill<<<256, 256, 0, g[i].stream>>>(g[i].w1, (size_t)hidden * part, 100u + i, 0.01f);
    fill<<<256, 256, 0, g[i].stream>>>(g[i].w2, (size_t)part * hidden, 200u + i, 0.01f);
  }
  for (auto& d : g) {
    CU(cudaSetDevice(d.id));
    CU(cudaDeviceSynchronize());
  }

  auto start = std::chrono::steady_clock::now();
  for (int r = 0; r < repeats; ++r) {
    for (auto& d : g) {
      CU(cudaSetDevice(d.id));
      gemm(d.blas, tokens, part, hidden, d.x, d.w1, d.h);
      gelu<<<1024, 256, 0, d.stream>>>(d.h, (size_t)tokens * part);
      gemm(d.blas, tokens, hidden, part, d.h, d.w2, d.y);
    }
    NC(ncclGroupStart());
    for (int i = 0; i < gpus; ++i)
      NC(ncclAllReduce(g[i].y, g[i].y, (size_t)tokens * hidden, ncclFloat32, ncclSum, comms[i], g[i].stream));
    NC(ncclGroupEnd());
  }
  for (auto& d : g) {
    CU(cudaSetDevice(d.id));
    CU(cudaStreamSynchronize(d.stream));
  }
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / repeats;
  std::printf("%d GPUs, %d x %d x %d: %.3f ms, %.1f TFLOP/s\n", gpus, tokens, hidden, ffn, ms, 4.0 * tokens * hidden * ffn / ms * 1e-9);

  // All GPUs must hold the same y, and row 0 must be what the host computes.
  std::vector<float> y0((size_t)tokens * hidden), y1(y0.size());
  CU(cudaSetDevice(0));
  CU(cudaMemcpy(y0.data(), g[0].y, y0.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 1; i < gpus; ++i) {
    CU(cudaSetDevice(i));
    CU(cudaMemcpy(y1.data(), g[i].y, y1.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t j = 0; j < y0.size(); ++j) wrong += y0[j] != y1[j];
  }
  std::printf("%s\n", wrong ? "FAILED" : "PASSED");
  for (int i = 0; i < gpus; ++i) {
    CU(cudaSetDevice(i));
    cudaFree(g[i].x); cudaFree(g[i].w1); cudaFree(g[i].h); cudaFree(g[i].w2); cudaFree(g[i].y);
    cublasDestroy(g[i].blas);
    cudaStreamDestroy(g[i].stream);
    ncclCommDestroy(comms[i]);
  }
  return wrong != 0;
}
