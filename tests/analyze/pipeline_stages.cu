// Pipeline parallelism: each rank is a stage that receives micro-batches, works on them and passes them on.
// expect: site s1 ncclRecv send=none recv=input count=kTokens type=ncclHalf comm=comm stream=stream peer=rank - 1
// expect: site s2 ncclSend send=output recv=none count=kTokens type=ncclHalf comm=comm stream=stream peer=rank + 1
// expect: group s1 none
// expect: loop s1 iterations
// expect: operation ncclRecv in main loop=micro=0;< kMicroBatches;+1 if rank > 0
// expect: operation stage in main loop=micro=0;< kMicroBatches;+1
// expect: consumer s1 stage input
// expect: producer s2 stage output
// expect: overlap s1 ncclSend other-iteration
// expect-not: producer s2 ncclRecv
// expect-not: consumer s1 ncclSend
// expect-not: unordered
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

constexpr int kTokens = 1 << 18, kMicroBatches = 8;

__global__ void stage(const __half* input, __half* output, int micro) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kTokens) output[i] = __hadd(input[i], __int2half_rn(micro));
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
  __half *input, *output;
  cudaMalloc(&input, kTokens * sizeof(__half));
  cudaMalloc(&output, kTokens * sizeof(__half));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int micro = 0; micro < kMicroBatches; ++micro) {
    if (rank > 0) ncclRecv(input, kTokens, ncclHalf, rank - 1, comm, stream);
    stage<<<kTokens / 256, 256, 0, stream>>>(input, output, micro);
    if (rank + 1 < ranks) ncclSend(output, kTokens, ncclHalf, rank + 1, comm, stream);
  }
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
