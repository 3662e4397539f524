// stranger: a small parallel_for with extended lambdas: captures by value, also of structs; kernels have no names of their own
// nvcc: --extended-lambda
// ranks: 2
// arguments: 100
// expect-output: power iteration converged
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

namespace gpu {
template <typename F>
__global__ void run(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
template <typename F>
void parallel_for(int n, cudaStream_t stream, F f) {
  run<<<(n + 63) / 64, 64, 0, stream>>>(n, f);
  if (cudaGetLastError() != cudaSuccess) std::abort();
}
template <typename T>
T* allocate(size_t n) {
  T* p = nullptr;
  if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) std::abort();
  return p;
}
}  // namespace gpu

#define NCCL_ASSERT(call)                                        \
  if (ncclResult_t res = (call); res != ncclSuccess) {           \
    std::cerr << #call << ": " << ncclGetErrorString(res) << "\n"; \
    std::abort();                                                \
  }

// A symmetric matrix whose largest eigenvalue is known: ones, and d more on the diagonal.
struct Matrix {
  int n;
  float d;
  __host__ __device__ float operator()(int i, int j) const { return i == j ? 1.0f + d : 1.0f; }
};

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int rank, size, n = 4096;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) std::istringstream(argv[1]) >> n;
  const int rows = n / size, first = rank * rows;
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) NCCL_ASSERT(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_ASSERT(ncclCommInitRank(&comm, size, id, rank));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  float* x = gpu::allocate<float>(n);
  float* y = gpu::allocate<float>(rows);
  float* norm = gpu::allocate<float>(1);
  const Matrix matrix{n, 3.0f};
  gpu::parallel_for(n, stream, [=] __device__(int i) { x[i] = 1.0f + 0.1f * (i % 3); });
  for (int it = 0; it < 8; ++it) {
    gpu::parallel_for(rows, stream, [=] __device__(int i) {
      float sum = 0;
      for (int j = 0; j < matrix.n; ++j) sum += matrix(first + i, j) * x[j];
      y[i] = sum;
    });
    cudaMemsetAsync(norm, 0, sizeof(float), stream);
    gpu::parallel_for(rows, stream, [y, norm] __device__(int i) { atomicAdd(norm, y[i] * y[i]); });
    NCCL_ASSERT(ncclAllReduce(norm, norm, 1, ncclFloat, ncclSum, comm, stream));
    gpu::parallel_for(rows, stream, [y, norm] __device__(int i) { y[i] *= rsqrtf(*norm); });
    NCCL_ASSERT(ncclAllGather(y, x, rows, ncclFloat, comm, stream));
  }
  float squared = 0;
  cudaMemcpyAsync(&squared, norm, sizeof squared, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const bool good = std::fabs(std::sqrt(squared) - (n + 3.0f)) < 1e-2f * n;
  if (rank == 0) std::cout << "power iteration " << (good ? "converged" : "DIVERGED") << std::endl;
  cudaFree(x);
  cudaFree(y);
  cudaFree(norm);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return good ? 0 : 1;
}
