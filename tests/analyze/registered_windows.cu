// Host collectives on memory that is registered already: they can go to the device as they are.
// expect: buffer tokens nccl_memory bytes=2097152 frees=1
// expect: buffer gathered nccl_memory bytes=2097152*ranks frees=1
// expect-count: 2 operation ncclCommWindowRegister
// expect-count: 2 operation ncclCommWindowDeregister
// expect: site s1 ncclAllGather send=tokens recv=gathered count=count type=ncclBfloat16 comm=comm stream=stream
// expect: convertible s1 yes
// expect: producer s1 embed tokens
// expect: consumer s1 mix gathered
// expect-not: overlap s1 mix
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void embed(__nv_bfloat16* tokens, size_t count) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) tokens[i] = __float2bfloat16(i % 97);
}

__global__ void mix(const __nv_bfloat16* gathered, __nv_bfloat16* mixed, size_t count, int ranks) {
  size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < ranks; ++r) sum += __bfloat162float(gathered[r * count + i]);
  mixed[i] = __float2bfloat16(sum);
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
  const size_t count = 1 << 20, bytes = count * sizeof(__nv_bfloat16);
  __nv_bfloat16 *tokens, *gathered, *mixed;
  ncclMemAlloc((void**)&tokens, bytes);
  ncclMemAlloc((void**)&gathered, ranks * bytes);
  cudaMalloc(&mixed, bytes);
  ncclWindow_t send_window, recv_window;
  ncclCommWindowRegister(comm, tokens, bytes, &send_window, NCCL_WIN_COLL_SYMMETRIC);
  ncclCommWindowRegister(comm, gathered, ranks * bytes, &recv_window, NCCL_WIN_COLL_SYMMETRIC);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  embed<<<count / 256, 256, 0, stream>>>(tokens, count);
  ncclAllGather(tokens, gathered, count, ncclBfloat16, comm, stream);
  mix<<<count / 256, 256, 0, stream>>>(gathered, mixed, count, ranks);
  cudaStreamSynchronize(stream);
  ncclCommWindowDeregister(comm, send_window);
  ncclCommWindowDeregister(comm, recv_window);
  ncclMemFree(tokens);
  ncclMemFree(gathered);
  MPI_Finalize();
}
