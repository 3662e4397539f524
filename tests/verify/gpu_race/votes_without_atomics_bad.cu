// Many blocks count votes in one global array with plain increments, which lose each other's updates.
// ranks: 1
// expect-finding: gpu_race
#include <cstdio>

constexpr int kCandidates = 5;
constexpr int kVoters = 2000;

__device__ int tally[kCandidates];

__device__ int choice_of(int voter) { return voter * 7 % kCandidates; }

__global__ void vote() {
  for (int voter = blockIdx.x * blockDim.x + threadIdx.x; voter < kVoters; voter += gridDim.x * blockDim.x)
    tally[choice_of(voter)] += 1;  // FAULT
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
