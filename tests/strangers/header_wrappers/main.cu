// stranger: all calls of NCCL stand in templates of a header, which a .cu and a .cpp file include
// files: main.cu report.cpp
// ranks: 4
// arguments: 60
// expect-output: gathered 240 values, sum 28680
// convert: lsa
#include <mpi.h>

#include "collectives.hpp"
#include "report.h"

__global__ void number(float* p, int n, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = rank * n + i;
}

__global__ void add_up(const float* p, int n, int* total) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += (int)p[i];
  *total = sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, n = atoi(argv[1]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  {
    dist::Communicator world(size, id, rank);
    dist::Buffer<float> own(n), all(n * size);
    dist::Buffer<int> total(1);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    number<<<(n + 63) / 64, 64, 0, stream>>>(own.data(), n, rank);
    world.gather(own.data(), all.data(), n, stream);
    add_up<<<1, 1, 0, stream>>>(all.data(), n * size, total.data());
    report(world, total.data(), rank, n * size, size, stream);
    cudaStreamDestroy(stream);
  }
  MPI_Finalize();
  return 0;
}
