// The search for a token's expert keeps its middle too, but rounds it up, so the range shrinks in every turn.
// ranks: 2
// expect: no findings
#include "../../simulate/support.h"

constexpr int kExperts = 8;
constexpr int kTokens = 96;

// The last expert whose first token is at or before `token`.
__device__ int expert_of(const int* first_token, int token) {
  int low = 0, high = kExperts - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (first_token[middle] <= token)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

__global__ void count_tokens(const int* first_token, int first, int* counts) {
  int token = first + blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counts[expert_of(first_token, token)], 1);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const int total = kTokens * ranks.count;
  std::vector<int> first_token(kExperts);
  for (int expert = 0; expert < kExperts; expert++)
    first_token[expert] = expert * expert * total / (kExperts * kExperts);
  int *device_first, *counts;
  CHECK(cudaMalloc(&device_first, kExperts * sizeof(int)));
  CHECK(cudaMalloc(&counts, kExperts * sizeof(int)));
  CHECK(cudaMemset(counts, 0, kExperts * sizeof(int)));
  upload(device_first, first_token);
  count_tokens<<<kTokens / 32, 32>>>(device_first, ranks.rank * kTokens, counts);
  CHECK(ncclAllReduce(counts, counts, kExperts, ncclInt, ncclSum, ranks.comm, nullptr));
  std::vector<int> got = download(counts, kExperts);
  long wrong = 0;
  for (int expert = 0; expert < kExperts; expert++) {
    int end = expert + 1 < kExperts ? first_token[expert + 1] : total;
    wrong += got[expert] != end - first_token[expert];
  }
  CHECK(cudaFree(counts));
  CHECK(cudaFree(device_first));
  return ranks.verdict(wrong);
}
