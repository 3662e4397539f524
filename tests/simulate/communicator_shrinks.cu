// Three of four ranks go on in a communicator without the fourth; and a sum of halves scaled beforehand.
// ranks: 4
// expect: ok
// expect: rank 2 of 3: 8 and 6
#include <cuda_fp16.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  cudaSetDevice(rank);
  ncclComm_t all, some;
  ncclCommInitRank(&all, size, id, rank);
  int excluded[] = {1};
  if (rank != 1) {
    ncclCommShrink(all, excluded, 1, &some, nullptr, NCCL_SHRINK_DEFAULT);
    half *values, host[2] = {__float2half(rank + 1.0f), __float2half(4.0f)}, factor = __float2half(0.5f);
    cudaMalloc(&values, sizeof host);
    cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
    ncclRedOp_t scaled;
    ncclRedOpCreatePreMulSum(&scaled, &factor, ncclFloat16, ncclScalarHostImmediate, some);
    ncclAllReduce(values, values, 1, ncclFloat16, ncclSum, some, 0);
    ncclAllReduce(values + 1, values + 1, 1, ncclFloat16, scaled, some, 0);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    int in_some, count;
    ncclCommUserRank(some, &in_some);
    ncclCommCount(some, &count);
    std::printf("rank %d of %d: %g and %g\n", in_some, count, __half2float(host[0]), __half2float(host[1]));
    ncclRedOpDestroy(scaled, some);
    cudaFree(values);
    ncclCommDestroy(some);
  }
  ncclCommDestroy(all);
  MPI_Finalize();
  return 0;
}
