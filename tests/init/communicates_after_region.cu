// The gather stands after the events.
// expect: plain where its region begins and ends is a guess, because nothing in the program marks it
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

#include <vector>

__global__ void fill(float* weights, int n, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) weights[i] = 0.01f * i + rank;
}

__global__ void layer(const float* x, const float* weights, float* y, int inputs, int columns) {
  int column = threadIdx.x;
  if (column >= columns) return;
  float sum = 0;
  for (int i = 0; i < inputs; i++) sum += x[i] * weights[i * columns + column];
  y[column] = sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cudaSetDevice(rank);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);

  const int inputs = 64, columns = 32;
  float *x, *weights, *y, *gathered;
  cudaMalloc(&x, inputs * sizeof(float));
  cudaMalloc(&weights, inputs * columns * sizeof(float));
  cudaMalloc(&y, columns * sizeof(float));
  cudaMalloc(&gathered, ranks * columns * sizeof(float));
  std::vector<float> host(inputs, 1.0f);
  cudaMemcpy(x, host.data(), inputs * sizeof(float), cudaMemcpyHostToDevice);
  fill<<<inputs * columns / 128, 128>>>(weights, inputs * columns, rank);
  cudaDeviceSynchronize();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);

  cudaEventRecord(start, stream);
  layer<<<1, columns, 0, stream>>>(x, weights, y, inputs, columns);
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);

  ncclAllGather(y, gathered, columns, ncclFloat, comm, stream);
  cudaStreamSynchronize(stream);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  if (rank == 0) printf("%f ms\n", ms);
  cudaFree(x);
  cudaFree(weights);
  cudaFree(y);
  cudaFree(gathered);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
