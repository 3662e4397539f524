// The same layer, timed in a function whose parameters have names of their own.
// expect: plain cannot be named where the region stands
// expect: inputs   x (float), weights (float)
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

float timed(const float* in, const float* matrix, float* out, float* all, int inputs, int columns, ncclComm_t comm,
            cudaStream_t stream) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, stream);
  layer<<<1, columns, 0, stream>>>(in, matrix, out, inputs, columns);
  ncclAllGather(out, all, columns, ncclFloat, comm, stream);
  cudaEventRecord(stop, stream);
  cudaEventSynchronize(stop);
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return ms;
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
  float ms = timed(x, weights, y, gathered, inputs, columns, comm, stream);
  if (rank == 0) printf("%f ms\n", ms);
  cudaFree(x);
  cudaFree(weights);
  cudaFree(y);
  cudaFree(gathered);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
