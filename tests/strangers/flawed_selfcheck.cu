// stranger: a flaw: the program's own check knows the sum of the inputs it was written with, and stops with assert on any others
// ranks: 4
// expect-output: Test PASSED
// convert: lsa gin
// share: all
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 256, THREADS = 64 };

#define CUDA_CALL(x) assert((x) == cudaSuccess)
#define NCCL_CALL(x) assert((x) == ncclSuccess)

__global__ void square(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CUDA_CALL(cudaSetDevice(rank));
  ncclUniqueId id;
  if (rank == 0) NCCL_CALL(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  NCCL_CALL(ncclCommInitRank(&comm, size, id, rank));

  float host[COUNT], *in, *squares, *sum;
  for (int i = 0; i < COUNT; i++) host[i] = 2.0f;
  CUDA_CALL(cudaMalloc(&in, sizeof(host)));
  CUDA_CALL(cudaMalloc(&squares, sizeof(host)));
  CUDA_CALL(cudaMalloc(&sum, sizeof(host)));
  CUDA_CALL(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
  square<<<COUNT / THREADS, THREADS>>>(in, squares);
  NCCL_CALL(ncclReduce(squares, sum, COUNT, ncclFloat, ncclSum, 0, comm, 0));
  CUDA_CALL(cudaDeviceSynchronize());
  if (rank == 0) {
    CUDA_CALL(cudaMemcpy(host, sum, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) assert(host[i] == 4.0f * size);
    printf("Test PASSED\n");
  }
  CUDA_CALL(cudaFree(in));
  CUDA_CALL(cudaFree(squares));
  CUDA_CALL(cudaFree(sum));
  NCCL_CALL(ncclCommDestroy(comm));
  MPI_Finalize();
  return 0;
}
