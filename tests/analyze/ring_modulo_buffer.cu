// Ring all-gather by hand, the two buffers picked by the parity of the step.
// expect: site s1 ncclSend send=block[0] recv=none count=count type=ncclFloat comm=comm stream=stream peer=right
// expect: site s2 ncclRecv send=none recv=block[1] count=count type=ncclFloat comm=comm stream=stream peer=left
// expect: group s1 ring
// expect: loop s2 iterations
// expect: producer s1 ncclRecv block[1] carried
// expect: producer s1 ncclRecv block[0] carried
// expect: consumer s2 fold block[1] carried
// expect: overlap s1 fold
// expect: overlap s2 fold
// expect: operation fold in main loop=step=0;< ranks;+1
// expect-not: unordered
// expect-count: 2 window block
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void fold(const float* block, float* total, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) total[i] += block[i];
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
  const int count = 1 << 18;
  float* block[2];
  float* total;
  cudaMalloc(&block[0], count * sizeof(float));
  cudaMalloc(&block[1], count * sizeof(float));
  cudaMalloc(&total, count * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemset(block[0], 1, count * sizeof(float));
  cudaMemset(total, 0, count * sizeof(float));

  const int right = (rank + 1) % ranks, left = (rank - 1 + ranks) % ranks;
  for (int step = 0; step < ranks; ++step) {
    float* current = block[step % 2];
    ncclGroupStart();
    ncclSend(current, count, ncclFloat, right, comm, stream);
    ncclRecv(block[(step + 1) % 2], count, ncclFloat, left, comm, stream);
    ncclGroupEnd();
    fold<<<count / 256, 256, 0, stream>>>(current, total, count);
  }
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
