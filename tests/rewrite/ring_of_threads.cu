// Ranks are host threads; two buffers take turns around a ring, with a warm-up before the timed rounds.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

constexpr int kCount = 3000;

__global__ void absorb(const int* block, int* sum, int weight) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) sum[i] += block[i] * weight;
}
__global__ void start_with(int* block, int* sum, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) block[i] = i + rank, sum[i] = 0;
}

void rotate(int rank, int ranks, int*& current, int*& next, int* sum, ncclComm_t comm, cudaStream_t stream) {
  for (int step = 0; step < ranks; step++) {
    if (step + 1 < ranks) {
      ncclGroupStart();
      ncclSend(current, kCount, ncclInt, (rank + 1) % ranks, comm, stream);
      ncclRecv(next, kCount, ncclInt, (rank + ranks - 1) % ranks, comm, stream);
      ncclGroupEnd();
    }
    absorb<<<(kCount + 127) / 128, 128, 0, stream>>>(current, sum, step + 1);
    std::swap(current, next);
  }
}

void run_rank(int rank, int ranks, ncclUniqueId id, std::vector<long long>* totals) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, ranks, id, rank);
  int *current, *next, *sum;
  cudaMalloc(&current, kCount * sizeof(int));
  cudaMalloc(&next, kCount * sizeof(int));
  cudaMalloc(&sum, kCount * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  for (int round = 0; round < 3; round++) {
    start_with<<<(kCount + 127) / 128, 128, 0, stream>>>(current, sum, rank + round);
    cudaEventRecord(start, stream);
    rotate(rank, ranks, current, next, sum, comm, stream);
    cudaEventRecord(stop, stream);
    cudaStreamSynchronize(stream);
  }
  float milliseconds;
  cudaEventElapsedTime(&milliseconds, start, stop);
  std::vector<int> host(kCount);
  cudaMemcpy(host.data(), sum, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; i++) (*totals)[rank] += (long long)host[i] * (i % 11 + 1);
  cudaFree(current);
  cudaFree(next);
  cudaFree(sum);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
  ncclCommDestroy(comm);
}

int main() {
  int ranks;
  cudaGetDeviceCount(&ranks);
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<long long> totals(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; rank++) threads.emplace_back(run_rank, rank, ranks, id, &totals);
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < ranks; rank++) std::printf("rank %d total: %lld\n", rank, totals[rank]);
}
