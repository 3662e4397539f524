// Calls wrapped by the common checking macros, do-while form: the calls are found and can be edited.
// expect: site s1 ncclReduceScatter send=partial recv=shard count=kShard type=ncclFloat comm=comm stream=stream op=ncclSum
// expect: convertible s1 yes
// expect: producer s1 partial_product partial
// expect: buffer partial device bytes=4194304*ranks frees=1
// expect: buffer shard device bytes=4194304 frees=1
// expect: communicator comm init_rank ranks=ranks parent=none
// expect: ranks mpi
// expect-not: comes from the body of a macro
// expect-not: operation exit
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                             \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(EXIT_FAILURE);                                                            \
    }                                                                                \
  } while (0)
#define NCCL_CHECK(call)                                                              \
  do {                                                                                \
    ncclResult_t result = call;                                                       \
    if (result != ncclSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, ncclGetErrorString(result)); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                   \
    }                                                                                 \
  } while (0)
#define MPI_CHECK(call) \
  if ((call) != MPI_SUCCESS) abort()

constexpr size_t kShard = 1 << 20;

__global__ void partial_product(float* partial, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) partial[i] = i;
}

int main(int argc, char** argv) {
  MPI_CHECK(MPI_Init(&argc, &argv));
  int rank, ranks;
  MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  CUDA_CHECK(cudaSetDevice(rank % 8));
  ncclUniqueId id;
  if (rank == 0) NCCL_CHECK(ncclGetUniqueId(&id));
  MPI_CHECK(MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD));
  ncclComm_t comm;
  NCCL_CHECK(ncclCommInitRank(&comm, ranks, id, rank));
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  float *partial, *shard;
  CUDA_CHECK(cudaMalloc(&partial, ranks * kShard * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&shard, kShard * sizeof(float)));
  partial_product<<<ranks * kShard / 256, 256, 0, stream>>>(partial, ranks * kShard);
  CUDA_CHECK(cudaGetLastError());
  NCCL_CHECK(ncclReduceScatter(partial, shard, kShard, ncclFloat, ncclSum, comm, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaFree(partial));
  CUDA_CHECK(cudaFree(shard));
  NCCL_CHECK(ncclCommDestroy(comm));
  MPI_CHECK(MPI_Finalize());
}
