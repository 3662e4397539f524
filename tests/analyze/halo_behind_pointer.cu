// The kernel gets a pointer behind the halo row and goes back to the row, by a width that it is given: it reads what was
// received there. Another kernel only goes forward from its pointer, and may well leave the received row alone.
// expect: consumer s2 smooth grid
// expect: consumer s4 scale edges
// expect-not: overlap s2 smooth
// expect: overlap s4 scale assumed
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

constexpr int kWidth = 4096, kRows = 512;

__global__ void smooth(const double* grid, double* next, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x == 0 || x == width - 1) return;
  int here = y * width + x;
  next[here] = 0.25 * (grid[here - 1] + grid[here + 1] + grid[(y - 1) * width + x] + grid[here + width]);
}

__global__ void scale(double* row, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width) row[width + x] = 0.5 * row[x];
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
  double *grid, *next, *edges;
  cudaMalloc(&grid, bytes);
  cudaMalloc(&next, bytes);
  cudaMalloc(&edges, 4 * kWidth * sizeof(double));
  cudaMemset(grid, 0, bytes);
  cudaMemset(edges, 0, 4 * kWidth * sizeof(double));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ncclGroupStart();
  ncclSend(grid + kWidth, kWidth, ncclDouble, (rank + ranks - 1) % ranks, comm, stream);
  ncclRecv(grid, kWidth, ncclDouble, (rank + 1) % ranks, comm, stream);
  ncclSend(edges + kWidth, kWidth, ncclDouble, (rank + ranks - 1) % ranks, comm, stream);
  ncclRecv(edges, kWidth, ncclDouble, (rank + 1) % ranks, comm, stream);
  ncclGroupEnd();
  smooth<<<dim3(kWidth / 256, kRows), 256, 0, stream>>>(grid + kWidth, next + kWidth, kWidth);
  scale<<<kWidth / 256, 256, 0, stream>>>(edges + 2 * kWidth, kWidth);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
