// Outputs: what is copied to the host after the timed region, and what the last collective receives; nothing else.
// expect: region events
// expect: output ranking
// expect: output best
// expect-not: output scores
// expect-not: output weights
// expect-count: 2 output
// expect: copy cudaMemcpy device_to_host bytes=n * sizeof(int)
// expect: in-region s1 yes
// expect: in-region s2 no
// expect: blocker s2 it stands outside the timed region, where nothing would be gained
// expect: consumer s1 cudaMemcpy best
// expect-not: external
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

#include <vector>

__global__ void score(const float* weights, float* scores, float* best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) scores[i] = weights[i] * weights[i];
  if (i == 0) *best = weights[0];
}

__global__ void rank_scores(const float* scores, int* ranking, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ranking[i] = scores[i] > 0.5f;
}

int main(int, char** argv) {
  ncclComm_t comm;
  ncclUniqueId id;
  ncclGetUniqueId(&id);  // The same in every process: NCCL_COMM_ID is set.
  ncclCommInitRank(&comm, atoi(argv[2]), id, atoi(argv[1]));
  const int n = 1 << 16;
  float *weights, *scores, *best;
  int* ranking;
  cudaMalloc(&weights, n * sizeof(float));
  cudaMalloc(&scores, n * sizeof(float));
  cudaMalloc(&best, sizeof(float));
  cudaMalloc(&ranking, n * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  score<<<n / 256, 256, 0, stream>>>(weights, scores, best, n);
  ncclAllReduce(best, best, 1, ncclFloat, ncclMax, comm, stream);
  rank_scores<<<n / 256, 256, 0, stream>>>(scores, ranking, n);
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  float ms, top;
  cudaEventElapsedTime(&ms, begin, end);
  std::vector<int> order(n);
  cudaMemcpy(order.data(), ranking, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&top, best, sizeof top, cudaMemcpyDeviceToHost);
  ncclAllReduce(weights, weights, n, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
}
