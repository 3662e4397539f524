// An all-gather, a ring of sends and receives and an all-reduce, each with its producer, its consumer and work that is
// independent of it.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 1 << 12;

__global__ void produce(float* data, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = (float)(seed * 10 + i % 31);
}
__global__ void compute(float* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] * 0.5f + 1;
}
__global__ void consume(const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ncclUniqueId id;
  if (rank == 0) ncclGetUniqueId(&id);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  cudaSetDevice(rank % 2);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *part, *all, *front, *back, *sum, *own, *out;
  size_t bytes = kCount * sizeof(float);
  cudaMalloc(&part, bytes);
  cudaMalloc(&all, ranks * bytes);
  cudaMalloc(&front, bytes);
  cudaMalloc(&back, bytes);
  cudaMalloc(&sum, bytes);
  cudaMalloc(&own, bytes);
  cudaMalloc(&out, ranks * bytes);
  const int blocks = kCount / 128;
  produce<<<blocks, 128, 0, stream>>>(own, rank);

  for (int round = 0; round < 2; round++) {
    produce<<<blocks, 128, 0, stream>>>(part, rank + round);
    ncclAllGather(part, all, kCount, ncclFloat, comm, stream);
    compute<<<blocks, 128, 0, stream>>>(own);
    consume<<<ranks * blocks, 128, 0, stream>>>(all, out);

    produce<<<blocks, 128, 0, stream>>>(front, rank * 2 + round);
    ncclGroupStart();
    ncclSend(front, kCount, ncclFloat, (rank + 1) % ranks, comm, stream);
    ncclRecv(back, kCount, ncclFloat, (rank + ranks - 1) % ranks, comm, stream);
    ncclGroupEnd();
    compute<<<blocks, 128, 0, stream>>>(own);
    consume<<<blocks, 128, 0, stream>>>(back, out);

    produce<<<blocks, 128, 0, stream>>>(sum, rank * 3 + round);
    ncclAllReduce(sum, sum, kCount, ncclFloat, ncclSum, comm, stream);
    compute<<<blocks, 128, 0, stream>>>(own);
    consume<<<blocks, 128, 0, stream>>>(sum, out);
  }

  std::vector<float> host(kCount);
  cudaMemcpyAsync(host.data(), out, bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double total = 0;
  for (float value : host) total += value;
  std::printf("rank %d total: %.3f\n", rank, total);
  cudaFree(part);
  cudaFree(all);
  cudaFree(front);
  cudaFree(back);
  cudaFree(sum);
  cudaFree(own);
  cudaFree(out);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
  MPI_Finalize();
}
