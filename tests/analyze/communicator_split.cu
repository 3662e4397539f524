// Two-dimensional parallelism: the world is split into rows and columns, each with its own collectives.
// expect: communicator world init_rank ranks=ranks parent=none
// expect: communicator row split ranks=none parent=world
// expect: communicator column split ranks=none parent=world
// expect: site s1 ncclAllGather send=a_block recv=a_row count=block type=ncclFloat comm=row stream=stream
// expect: site s2 ncclAllGather send=b_block recv=b_column count=block type=ncclFloat comm=column stream=stream
// expect: overlap s1 ncclAllGather
// expect: consumer s1 multiply a_row
// expect: consumer s2 multiply b_column
// expect-not: comm=world
// expect-not: consumer s1 ncclAllGather
// expect: convertible s2 yes
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void multiply(const float* a_row, const float* b_column, float* c, int side, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a_row[y * depth + k] * b_column[k * side + x];
  c[y * side + x] = sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t world, row, column;
  ncclCommInitRank(&world, ranks, id, rank);
  const int columns = 4, side = 512;
  ncclCommSplit(world, rank / columns, rank % columns, &row, nullptr);
  ncclCommSplit(world, rank % columns, rank / columns, &column, nullptr);
  const size_t block = side * side;
  const int rows = ranks / columns;
  float *a_block, *a_row, *b_block, *b_column, *c;
  cudaMalloc(&a_block, block * sizeof(float));
  cudaMalloc(&b_block, block * sizeof(float));
  cudaMalloc(&a_row, columns * block * sizeof(float));
  cudaMalloc(&b_column, rows * block * sizeof(float));
  cudaMalloc(&c, block * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  ncclAllGather(a_block, a_row, block, ncclFloat, row, stream);
  ncclAllGather(b_block, b_column, block, ncclFloat, column, stream);
  multiply<<<dim3(side / 128, side), 128, 0, stream>>>(a_row, b_column, c, side, side * columns);
  cudaStreamSynchronize(stream);
  ncclCommDestroy(row);
  ncclCommDestroy(column);
  ncclCommDestroy(world);
  MPI_Finalize();
}
