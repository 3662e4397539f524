// Kernels whose blocks touch bytes that are known beforehand, and a send of some of them: accesses_test.cpp has what
// must be traced.
// ranks: 2
// expect: ok
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

constexpr int kRows = 4, kColumns = 64, kTile = 32;
struct Matrix { int columns, tile; const float* in; };
// Block (x, y) doubles rows 2 y and 2 y + 1 of columns 32 x to 32 x + 31.
__global__ void double_tiles(float* out, short factor, Matrix matrix) {
  int column = blockIdx.x * matrix.tile + threadIdx.x;
  for (int row = 2 * blockIdx.y; row < 2 * blockIdx.y + 2; row++)
    out[row * matrix.columns + column] = factor * matrix.in[row * matrix.columns + column];
}

__device__ int total;
__global__ void count_up() { atomicAdd(&total, 1); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, 2, id, rank);
  float *in, *out;
  cudaMalloc(&in, sizeof(float) * kRows * kColumns);
  cudaMalloc(&out, sizeof(float) * kRows * kColumns);
  cudaMemset(in, 0, sizeof(float) * kRows * kColumns);
  double_tiles<<<dim3(kColumns / kTile, kRows / 2), kTile>>>(out, 2, Matrix{kColumns, kTile, in});
  count_up<<<1, 32>>>();
  if (rank == 0)
    ncclSend(out + kColumns, kColumns, ncclFloat, 1, comm, nullptr);
  else
    ncclRecv(in, kColumns, ncclFloat, 0, comm, nullptr);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
