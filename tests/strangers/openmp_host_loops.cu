// stranger: MPI with OpenMP on the host: inputs are made and results compared by loops of threads, with a reduction
// flags: -Xcompiler=-fopenmp
// ranks: 2
// arguments: 5000
// expect-output: largest difference 0
// convert: lsa gin
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define CUDA(call)                                                                            \
  do {                                                                                        \
    cudaError_t e = (call);                                                                   \
    if (e != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));         \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                           \
    }                                                                                         \
  } while (0)
#define NCCL(call)                                                                            \
  do {                                                                                        \
    ncclResult_t r = (call);                                                                  \
    if (r != ncclSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(r));         \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                           \
    }                                                                                         \
  } while (0)

__global__ void square(float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= v[i];
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int n = argc > 1 ? std::atoi(argv[1]) : 1 << 22;
  int devices;
  CUDA(cudaGetDeviceCount(&devices));
  CUDA(cudaSetDevice(rank % devices));
#ifdef _OPENMP
  omp_set_num_threads(std::max(omp_get_num_procs() / size, 2));
#endif

  ncclUniqueId id;
  if (rank == 0) NCCL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL(ncclCommInitRank(&comm, size, id, rank));

  std::vector<float> host(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) host[i] = static_cast<float>((i + rank) % 8);

  float* v;
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMalloc(&v, n * sizeof(float)));
  CUDA(cudaMemcpy(v, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  square<<<(n + 255) / 256, 256, 0, stream>>>(v, n);
  NCCL(ncclAllReduce(v, v, n, ncclFloat, ncclSum, comm, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(host.data(), v, n * sizeof(float), cudaMemcpyDeviceToHost));

  double largest = 0;
#pragma omp parallel for reduction(max : largest) schedule(dynamic, 512)
  for (int i = 0; i < n; i++) {
    float expected = 0;
    for (int r = 0; r < size; r++) expected += static_cast<float>((i + r) % 8) * static_cast<float>((i + r) % 8);
    largest = std::fmax(largest, std::fabs(host[i] - expected));
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("largest difference %g\n", largest);
  CUDA(cudaFree(v));
  CUDA(cudaStreamDestroy(stream));
  NCCL(ncclCommDestroy(comm));
  MPI_Finalize();
  return largest == 0 ? 0 : 1;
}
