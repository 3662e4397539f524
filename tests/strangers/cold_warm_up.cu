// stranger: a benchmark that warms up on buffers that nothing has written yet, as many do: sums, and a ring of messages
// ranks: 4
// arguments: 2000
// expect-output: all right
// expect-output: warning: unwritten_read, ranks 0-3: ncclAllReduce at cold_warm_up.cu:20 reduces
// convert: lsa gin
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void number(float *x, int n, int rank) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = rank + i % 7;
}

static void exchange(float *x, float *sum, float *other, int n, int rank, int ranks, ncclComm_t comm, cudaStream_t s) {
  ncclAllReduce(x, sum, n, ncclFloat, ncclSum, comm, s);
  ncclGroupStart();
  ncclSend(x, n, ncclFloat, (rank + 1) % ranks, comm, s);
  ncclRecv(other, n, ncclFloat, (rank + ranks - 1) % ranks, comm, s);
  ncclGroupEnd();
}

int main(int argc, char **argv) {
  int rank, ranks, n = argc > 1 ? atoi(argv[1]) : 1 << 22;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t s;
  cudaStreamCreate(&s);
  float *x, *sum, *other;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sum, n * sizeof(float));
  cudaMalloc(&other, n * sizeof(float));

  for (int i = 0; i < 2; i++) exchange(x, sum, other, n, rank, ranks, comm, s);
  cudaStreamSynchronize(s);
  number<<<8, 128, 0, s>>>(x, n, rank);
  cudaStreamSynchronize(s);
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int i = 0; i < 3; i++) exchange(x, sum, other, n, rank, ranks, comm, s);
  cudaStreamSynchronize(s);
  double seconds = MPI_Wtime() - start;

  std::vector<float> sums(n), others(n);
  cudaMemcpy(sums.data(), sum, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(others.data(), other, n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += sums[i] != ranks * (ranks - 1) / 2 + ranks * (i % 7) || others[i] != (rank + ranks - 1) % ranks + i % 7;
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.1f us a turn, %s\n", seconds / 3 * 1e6, all ? "WRONG" : "all right");
  cudaFree(x);
  cudaFree(sum);
  cudaFree(other);
  cudaStreamDestroy(s);
  ncclCommDestroy(comm);
  MPI_Finalize();
  return wrong != 0;
}
