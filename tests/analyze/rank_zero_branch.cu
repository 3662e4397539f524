// Rank 0 collects from everybody, the others send: two sides of one branch, which never run in the same rank.
// expect: site s1 ncclRecv send=none recv=rows count=n type=ncclFloat comm=comm stream=stream peer=source
// expect: site s2 ncclSend send=mine recv=none count=n type=ncclFloat comm=comm stream=stream peer=0
// expect: operation ncclRecv in main loop=source=1;< ranks;+1 if rank == 0
// expect: operation ncclSend in main if !(rank == 0)
// expect: loop s1 peers
// expect: loop s2 none
// expect: producer s2 render mine
// expect: consumer s1 compose rows
// expect-not: overlap s2 compose
// expect-not: overlap s1 ncclSend
// expect: operation compose in main if rank == 0
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void render(float* mine, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mine[i] = i;
}

__global__ void compose(const float* rows, float* image, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = rows[i];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const size_t n = 1 << 18;
  float *mine, *rows, *image;
  cudaMalloc(&mine, n * sizeof(float));
  cudaMalloc(&rows, ranks * n * sizeof(float));
  cudaMalloc(&image, ranks * n * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  render<<<n / 256, 256, 0, stream>>>(mine, n);
  if (rank == 0) {
    ncclGroupStart();
    for (int source = 1; source < ranks; ++source) ncclRecv(rows + source * n, n, ncclFloat, source, comm, stream);
    ncclGroupEnd();
    compose<<<ranks * n / 256, 256, 0, stream>>>(rows, image, ranks * n);
  } else {
    ncclSend(mine, n, ncclFloat, 0, comm, stream);
  }
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
