// A sum over all ranks whose size is written out wherever it is used.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void fill(float* x) { x[blockIdx.x * 256 + threadIdx.x] = 1; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  ncclComm_t comm;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&comm, ranks, id, rank);
  float* x;
  cudaMalloc(&x, 16777216 * sizeof(float));
  fill<<<65536, 256>>>(x);
  ncclAllReduce(x, x, 16777216, ncclFloat, ncclSum, comm, nullptr);
  cudaDeviceSynchronize();
  cudaFree(x);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
