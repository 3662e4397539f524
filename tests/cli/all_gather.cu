// The smallest program with something to say: a kernel fills a slice, all slices are gathered, a kernel reads them.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void fill(float* slice, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slice[i] = i;
}

__global__ void scale(const float* all, float* result, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) result[i] = 2 * all[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);

  const int n = 1 << 20;
  float *slice, *all, *result;
  cudaMalloc(&slice, n * sizeof(float));
  cudaMalloc(&all, ranks * n * sizeof(float));
  cudaMalloc(&result, ranks * n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill<<<n / 256, 256, 0, stream>>>(slice, n);
  ncclAllGather(slice, all, n, ncclFloat, comm, stream);
  scale<<<ranks * n / 256, 256, 0, stream>>>(all, result, ranks * n);
  cudaStreamSynchronize(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
