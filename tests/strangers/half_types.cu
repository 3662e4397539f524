// stranger: one templated layer for half, bfloat16 and float: vector types, conversions, and the NCCL type by overload
// ranks: 2
// arguments: 64
// expect-output: fp16 ok bf16 ok fp32 ok
// convert: lsa
// optimize: 2
// faster: 1.3
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(x) do { const int status = static_cast<int>(x); if (status != 0) { std::fprintf(stderr, "%s:%d error %d\n", __FILE__, __LINE__, status); std::abort(); } } while (0)

inline ncclDataType_t nccl_type(const __half*) { return ncclHalf; }
inline ncclDataType_t nccl_type(const __nv_bfloat16*) { return ncclBfloat16; }
inline ncclDataType_t nccl_type(const float*) { return ncclFloat; }

template <typename T> struct Convert;
template <> struct Convert<__half> {
  static __host__ __device__ float to(__half v) { return __half2float(v); }
  static __host__ __device__ __half from(float v) { return __float2half(v); }
};
template <> struct Convert<__nv_bfloat16> {
  static __host__ __device__ float to(__nv_bfloat16 v) { return __bfloat162float(v); }
  static __host__ __device__ __nv_bfloat16 from(float v) { return __float2bfloat16(v); }
};
template <> struct Convert<float> {
  static __host__ __device__ float to(float v) { return v; }
  static __host__ __device__ float from(float v) { return v; }
};

template <typename T>
__global__ void partial_linear(const T* x, const T* w, T* y, int rows, int cols) {
  const int r = blockIdx.x;
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += warpSize) sum += Convert<T>::to(x[c]) * Convert<T>::to(w[r * cols + c]);
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0 && r < rows) y[r] = Convert<T>::from(sum);
}

__global__ void add_bias_half2(__half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hadd2(y[i], __float2half2_rn(0.5f));
}

template <typename T>
bool layer(int n, int rank, int ranks, ncclComm_t comm, cudaStream_t stream, double tolerance) {
  const int cols = n / ranks;
  std::vector<T> x(cols), w(n * cols), y(n);
  auto wv = [&](int r, int c) { return 0.125f * ((r + 3 * c) % 5 - 2); };
  auto xv = [&](int c) { return 0.25f * (c % 4); };
  for (int c = 0; c < cols; ++c) x[c] = Convert<T>::from(xv(rank * cols + c));
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < cols; ++c) w[r * cols + c] = Convert<T>::from(wv(r, rank * cols + c));
  T *dx, *dw, *dy;
  OK(cudaMalloc(&dx, cols * sizeof(T)));
  OK(cudaMalloc(&dw, w.size() * sizeof(T)));
  OK(cudaMalloc(&dy, n * sizeof(T)));
  OK(cudaMemcpy(dx, x.data(), cols * sizeof(T), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dw, w.data(), w.size() * sizeof(T), cudaMemcpyHostToDevice));
  partial_linear<T><<<n, 32, 0, stream>>>(dx, dw, dy, n, cols);
  OK(ncclAllReduce(dy, dy, n, nccl_type(dy), ncclSum, comm, stream));
  float bias = 0.f;
  if constexpr (sizeof(T) == 2 && std::is_same_v<T, __half>) {
    add_bias_half2<<<(n / 2 + 31) / 32, 32, 0, stream>>>(reinterpret_cast<__half2*>(dy), n / 2);
    bias = 0.5f;
  }
  OK(cudaMemcpyAsync(y.data(), dy, n * sizeof(T), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  bool good = true;
  for (int r = 0; r < n; ++r) {
    double want = bias;
    for (int c = 0; c < n; ++c) want += wv(r, c) * xv(c);
    good &= std::fabs(want - Convert<T>::to(y[r])) <= tolerance * (1 + std::fabs(want));
  }
  cudaFree(dx);
  cudaFree(dw);
  cudaFree(dy);
  return good;
}

int main(int argc, char** argv) {
  OK(MPI_Init(&argc, &argv));
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = argc > 1 ? std::atoi(argv[1]) : 4096;
  OK(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) OK(ncclGetUniqueId(&id));
  OK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  OK(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const bool h = layer<__half>(n, rank, ranks, comm, stream, 5e-3), b = layer<__nv_bfloat16>(n, rank, ranks, comm, stream, 3e-2),
             f = layer<float>(n, rank, ranks, comm, stream, 1e-5);
  if (rank == 0) std::printf("fp16 %s bf16 %s fp32 %s\n", h ? "ok" : "BAD", b ? "ok" : "BAD", f ? "ok" : "BAD");
  OK(cudaStreamDestroy(stream));
  OK(ncclCommDestroy(comm));
  OK(MPI_Finalize());
  return h && b && f ? 0 : 1;
}
