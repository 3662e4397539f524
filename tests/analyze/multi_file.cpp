// Host code in a .cpp file that knows no <<<>>>, kernels and their launches in a .cu file, joined by a header.
// with: parts/stencil.cu
// expect: kernel sweep in:read out:write
// expect: launch sweep grid=dim3(width / 32, height / 8) block=dim3(32, 8) shared=0 stream=stream via launch_sweep
// expect: site s1 ncclSend send=now recv=none count=width type=ncclFloat comm=comm stream=stream peer=down
// expect: site s2 ncclRecv send=none recv=now count=width type=ncclFloat comm=comm stream=stream peer=up
// expect: group s1 ring
// expect: consumer s2 sweep now
// expect: producer s1 sweep next carried
// expect: operation sweep in launch_sweep loop=t=0;< 100;+1
// expect-count: 2 site s
// expect-not: kernel unused_in_this_program
// expect-not: external
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

#include <utility>

#include "parts/stencil.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  const int width = 1024, height = 512;
  float *now, *next;
  cudaMalloc(reinterpret_cast<void**>(&now), width * (height + 1) * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&next), width * (height + 1) * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const int down = (rank + 1) % ranks, up = (rank + ranks - 1) % ranks;
  for (int t = 0; t < 100; ++t) {
    ncclGroupStart();
    ncclSend(now + width * (height - 1), width, ncclFloat, down, comm, stream);
    ncclRecv(now + width * height, width, ncclFloat, up, comm, stream);
    ncclGroupEnd();
    launch_sweep(now, next, width, height, stream);
    std::swap(now, next);
  }
  cudaStreamSynchronize(stream);
  MPI_Finalize();
}
