// stranger: a flaw: nothing is freed. Buffers, stream, events and communicator are left to the end of the process
// ranks: 2
// arguments: 300
// expect-output: reduced maximum is correct
// convert: lsa
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void values(float* x, int n, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (float)((i * 7 + rank * 13) % 101);
}

__global__ void clip(float* x, int n, float top) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > top) x[i] = top;
}

int main(int argc, char** argv) {
  int rank, size, n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  cudaSetDevice(rank);
  ncclUniqueId id;
  ncclComm_t comm;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclCommInitRank(&comm, size, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  float *x, *y, *scratch;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&scratch, n * sizeof(float));
  cudaMemset(scratch, 0, n * sizeof(float));

  cudaEventRecord(start, stream);
  values<<<(n + 127) / 128, 128, 0, stream>>>(x, n, rank);
  ncclAllReduce(x, y, n, ncclFloat, ncclMax, comm, stream);
  clip<<<(n + 127) / 128, 128, 0, stream>>>(y, n, 90.0f);
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float ms;
  cudaEventElapsedTime(&ms, start, stop);

  float* h = (float*)malloc(n * sizeof(float));
  cudaMemcpy(h, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    float want = 0;
    for (int r = 0; r < size; r++) {
      float v = (float)((i * 7 + r * 13) % 101);
      if (v > want) want = v;
    }
    bad += h[i] != (want > 90.0f ? 90.0f : want);
  }
  if (rank == 0) printf("%.3f ms, reduced maximum is %s\n", ms, bad ? "WRONG" : "correct");
  MPI_Finalize();
  return bad ? 1 : 0;
}
