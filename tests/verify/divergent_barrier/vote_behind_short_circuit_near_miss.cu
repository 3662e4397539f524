// The block's vote is the left side of an and; the right side, which differs between threads, has no barrier.
// ranks: 2
// expect: no findings
#include <mpi.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 96;
constexpr int kRounds = 3;

// Odd threads halve their excess over the limit while anybody in the block exceeds it.
__global__ void relax(int* values, int limit, int* rounds_used) {
  __shared__ int used;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  int value = values[threadIdx.x];
  for (int round = 0; round < kRounds; round++) {
    bool odd = threadIdx.x % 2 == 1;
    if (__syncthreads_or(value > limit) && odd) value = limit + (value - limit) / 2;
    if (threadIdx.x == 1) used++;
  }
  values[threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0) *rounds_used = used;
}

int count_wrong(const std::vector<int>& got, int limit) {
  int wrong = 0;
  for (int i = 0; i < kThreads; i++) {
    int excess = 8 * i;
    if (i % 2 == 1)
      for (int round = 0; round < kRounds; round++) excess /= 2;
    wrong += got[i] != limit + excess;
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  cudaSetDevice(rank);
  int limit = 10 * (rank + 1), used = 0;
  std::vector<int> host(kThreads);
  for (int i = 0; i < kThreads; i++) host[i] = limit + 8 * i;
  int *values, *rounds_used;
  cudaMalloc(&values, kThreads * sizeof(int));
  cudaMalloc(&rounds_used, sizeof(int));
  cudaMemcpy(values, host.data(), kThreads * sizeof(int), cudaMemcpyHostToDevice);
  relax<<<1, kThreads>>>(values, limit, rounds_used);
  cudaMemcpy(host.data(), values, kThreads * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&used, rounds_used, sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = count_wrong(host, limit) + (used != kRounds), total = 0;
  MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::printf("rank %d: %d wrong\n", rank, total);
  cudaFree(rounds_used);
  cudaFree(values);
  MPI_Finalize();
  return total != 0;
}
