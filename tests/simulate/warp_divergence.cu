// Warp intrinsics in branches, with lanes that have left, and masks from __activemask.
// ranks: 1
// expect: ok
// expect: low 120 high 376 active 0000ffff ballot 55555555 match 11111111
#include <cstdio>

struct Result {
  int low, high;
  unsigned active, ballot, match;
};

__device__ int half_sum(int value, unsigned mask) {
  for (int offset = 8; offset > 0; offset /= 2) value += __shfl_xor_sync(mask, value, offset, 16);
  return value;
}

__global__ void diverge(Result* result) {
  int lane = threadIdx.x;
  unsigned ballot = __ballot_sync(~0u, lane % 2 == 0);
  unsigned match = __match_any_sync(~0u, lane % 4);
  if (lane == 0) result->ballot = ballot, result->match = match;
  if (lane < 16) {
    unsigned active = __activemask();
    int sum = half_sum(lane, 0x0000ffffu);
    if (lane == 0) result->low = sum, result->active = active;
    return;
  }
  int sum = half_sum(lane, 0xffff0000u);
  __syncwarp(0xffff0000u);
  if (lane == 16) result->high = sum;
}

int main() {
  Result* result;
  cudaMallocManaged(&result, sizeof(Result));
  diverge<<<1, 32>>>(result);
  cudaDeviceSynchronize();
  std::printf("low %d high %d active %08x ballot %08x match %08x\n", result->low, result->high, result->active,
              result->ballot, result->match);
  return 0;
}
