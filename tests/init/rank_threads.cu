// Ranks are threads: their communicator knows which they are.
// expect: harness
// expect-line:   ncclCommUserRank(comm, &harness_rank);
// expect-line:   cuco::Harness harness(harness_rank, harness_ranks, 0, nullptr);
// expect: outputs  sum (float)
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>

#include <thread>
#include <vector>

__global__ void square(const float* values, float* sum) {
  float total = 0;
  for (int i = 0; i < 32; i++) total += values[i] * values[i];
  *sum = total;
}

void run_rank(int rank, int count, ncclUniqueId id) {
  cudaSetDevice(rank);
  ncclComm_t comm;
  ncclCommInitRank(&comm, count, id, rank);
  float *values, *sum;
  cudaMalloc(&values, 32 * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  std::vector<float> host(32, rank + 1.0f);
  cudaMemcpy(values, host.data(), 32 * sizeof(float), cudaMemcpyHostToDevice);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, 0);
  square<<<1, 1>>>(values, sum);
  ncclAllReduce(sum, sum, 1, ncclFloat, ncclSum, comm, 0);
  cudaEventRecord(stop, 0);
  cudaEventSynchronize(stop);
  float ms = 0, result = 0;
  cudaEventElapsedTime(&ms, start, stop);
  cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
  printf("rank %d: %f\n", rank, result);
  cudaFree(values);
  cudaFree(sum);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  ncclCommDestroy(comm);
}

int main() {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; rank++) threads.emplace_back(run_rank, rank, 2, id);
  for (std::thread& thread : threads) thread.join();
}
