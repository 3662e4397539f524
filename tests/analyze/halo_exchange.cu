// Jacobi on a slab a rank: edge rows go to both neighbours where there are any, time steps swap two grids.
// expect-count: 4 site s
// expect: site s1 ncclSend send=grid recv=none count=kWidth type=ncclDouble comm=comm stream=stream peer=rank - 1
// expect: site s2 ncclRecv send=none recv=grid count=kWidth type=ncclDouble comm=comm stream=stream peer=rank - 1
// expect: operation ncclSend in main loop=step=0;< steps;+1 if rank > 0
// expect: operation ncclRecv in main loop=step=0;< steps;+1 if rank + 1 < ranks
// expect: loop s1 iterations
// expect-not: group s1 ring
// expect-not: group s1 all_to_all
// expect: producer s1 jacobi next carried
// expect: consumer s2 jacobi grid
// expect: consumer s4 jacobi next
// expect-not: producer s1 ncclRecv
// expect: convertible s3 yes
// expect-count: 2 window
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <utility>

constexpr int kWidth = 4096, kRows = 512;

__global__ void jacobi(const double* grid, double* next) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y + 1;
  if (x == 0 || x == kWidth - 1) return;
  const double* row = grid + size_t(y) * kWidth;
  next[size_t(y) * kWidth + x] = 0.25 * (row[x - 1] + row[x + 1] + row[x - kWidth] + row[x + kWidth]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, steps = 1000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const size_t bytes = size_t{kRows + 2} * kWidth * sizeof(double);
  double *grid, *next;
  cudaMalloc(&grid, bytes);
  cudaMalloc(&next, bytes);
  cudaMemset(grid, 0, bytes);
  cudaMemset(next, 0, bytes);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int step = 0; step < steps; ++step) {
    ncclGroupStart();
    if (rank > 0) {
      ncclSend(grid + kWidth, kWidth, ncclDouble, rank - 1, comm, stream);
      ncclRecv(grid, kWidth, ncclDouble, rank - 1, comm, stream);
    }
    if (rank + 1 < ranks) {
      ncclSend(grid + kRows * kWidth, kWidth, ncclDouble, rank + 1, comm, stream);
      ncclRecv(grid + (kRows + 1) * kWidth, kWidth, ncclDouble, rank + 1, comm, stream);
    }
    ncclGroupEnd();
    jacobi<<<dim3(kWidth / 256, kRows), 256, 0, stream>>>(grid, next);
    std::swap(grid, next);
  }
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
