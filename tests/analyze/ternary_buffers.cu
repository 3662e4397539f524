// Which buffer is sent depends on the rank: both may be, both must become windows.
// expect: producer s1 make_even even
// expect: producer s1 make_odd odd
// expect: consumer s1 use result
// expect: window even
// expect: window odd
// expect: window result
// expect-not: consumer s1 make_odd
// expect-count: 3 window
// expect-count: 1 site s
// expect: convertible s1 yes
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void make_even(int* even, int n) { even[blockIdx.x * blockDim.x + threadIdx.x] = 2 * n; }
__global__ void make_odd(int* odd, int n) { odd[blockIdx.x * blockDim.x + threadIdx.x] = 2 * n + 1; }
__global__ void use(const int* result, int* sum) { atomicAdd(sum, result[blockIdx.x * blockDim.x + threadIdx.x]); }

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
  const int n = 1 << 12;
  int *even, *odd, *result, *sum;
  cudaMalloc(&even, n * sizeof(int));
  cudaMalloc(&odd, n * sizeof(int));
  cudaMalloc(&result, n * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  make_even<<<n / 256, 256, 0, stream>>>(even, n);
  make_odd<<<n / 256, 256, 0, stream>>>(odd, n);
  const int* chosen = rank % 2 == 0 ? even : odd;
  ncclAllReduce(chosen, result, n, ncclInt, ncclSum, comm, stream);
  use<<<n / 256, 256, 0, stream>>>(result, sum);
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
