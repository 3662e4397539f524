// Many blocks count votes in one global array by atomics, which need no other order between them.
// ranks: 1
// expect: no findings
#include <cstdio>

constexpr int kCandidates = 5;
constexpr int kVoters = 2000;

__device__ int tally[kCandidates];

__device__ int choice_of(int voter) { return voter * 7 % kCandidates; }

__global__ void vote() {
  for (int voter = blockIdx.x * blockDim.x + threadIdx.x; voter < kVoters; voter += gridDim.x * blockDim.x)
    atomicAdd(&tally[choice_of(voter)], 1);
}

int main() {
  vote<<<8, 64>>>();
  int host[kCandidates];
  cudaMemcpyFromSymbol(host, tally, sizeof host);
  int wrong = 0;
  for (int votes : host) wrong += votes != kVoters / kCandidates;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
