// The end of a layer whose weights are cut over ranks: every rank multiplies its part of the depth, the products are
// added up over all ranks, and RMSNorm of the sum goes on. The kernel that computes a product also reduces it: blocks
// that are done add up what all ranks have written, while others still compute.
#include <cuco/comm/fused_reduce.cuh>

#include "ranks.h"

constexpr int kTokens = 64, kDepth = 16, kWidth = 64;  // The depth is that of one rank.
constexpr int kTile = 16, kParts = 4, kRounds = 3;
constexpr size_t kCount = (size_t)kTokens * kWidth;
constexpr float kEpsilon = 1e-5f;

// A tile of `out`: one element a thread.
__device__ void multiply(const float* x, const float* weights, float* out, const uint3& block) {
  const int row = block.y * kTile + threadIdx.y, column = block.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < kDepth; k++) sum += x[row * kDepth + k] * weights[k * kWidth + column];
  out[row * kWidth + column] = sum;
}

__global__ void project(const float* x, const float* weights, float* out) { multiply(x, weights, out, blockIdx); }

__global__ void project_and_reduce(const float* x, const float* weights, float* out, const comm::FusedReduce fused) {
  const uint3 block = comm::begin_reducing(fused);
  multiply(x, weights, out, block);
  comm::end_reducing<Path, float, comm::Sum>(fused, block);
}

// One block of kWidth threads a token.
__global__ void rms_norm(const float* x, const float* scale, float* out) {
  __shared__ float squares[kWidth];
  const float element = x[blockIdx.x * kWidth + threadIdx.x];
  squares[threadIdx.x] = element * element;
  for (unsigned half = kWidth / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) squares[threadIdx.x] += squares[threadIdx.x + half];
  }
  __syncthreads();
  out[blockIdx.x * kWidth + threadIdx.x] = element * rsqrtf(squares[0] / kWidth + kEpsilon) * scale[threadIdx.x];
}

// The launch starts with the all-reduce that follows it, and is the plain kernel should that not fit.
void launch_project(const float* x, const float* weights, float* out, cudaStream_t stream) {
  const dim3 grid(kWidth / kTile, kTokens / kTile), block(kTile, kTile);
  comm::launch_reducing(ncclFloat, comm::Shape().message(kCount * sizeof(float)).along(1), grid, block, stream,
                        comm::pointers_of(out), [=](const comm::FusedReduce* fused) {
                          if (fused != nullptr)
                            project_and_reduce<<<grid, block, 0, stream>>>(x, weights, out, *fused);
                          else
                            project<<<grid, block, 0, stream>>>(x, weights, out);
                        });
}

// All elements of a round, in double precision. Weights are the values of round 0.
std::vector<double> expected(int ranks, int round) {
  std::vector<double> all(kCount);
  for (size_t i = 0; i < kCount; i++)
    for (int rank = 0; rank < ranks; rank++)
      for (size_t k = 0; k < kDepth; k++)
        all[i] += value(rank, round, i / kWidth * kDepth + k) * value(rank, 0, k * kWidth + i % kWidth);
  for (size_t token = 0; token < kTokens; token++) {
    double squares = 0;
    for (size_t i = 0; i < kWidth; i++) squares += all[token * kWidth + i] * all[token * kWidth + i];
    const double factor = 1 / std::sqrt(squares / kWidth + kEpsilon);
    for (size_t i = 0; i < kWidth; i++) all[token * kWidth + i] *= factor * value(0, 0, i);
  }
  return all;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t x_count = (size_t)kTokens * kDepth, weight_count = (size_t)kDepth * kWidth;
  float *x = nullptr, *weights = nullptr, *scale = nullptr, *out = nullptr, *partial = nullptr, *sum = nullptr;
  CHECK(cudaMalloc(&x, x_count * sizeof(float)));
  CHECK(cudaMalloc(&weights, weight_count * sizeof(float)));
  CHECK(cudaMalloc(&scale, kWidth * sizeof(float)));
  CHECK(cudaMalloc(&out, kCount * sizeof(float)));
  CHECK(comm::allocate(&partial, kCount * sizeof(float)));
  CHECK(comm::allocate(&sum, kCount * sizeof(float)));
  comm::open_all<Path>(comm::Options().slots(64).strong_signals());
  fill<<<blocks_for(weight_count, 128), 128, 0, ranks.stream>>>(weights, weight_count, ranks.rank, 0);
  fill<<<1, kWidth, 0, ranks.stream>>>(scale, kWidth, 0, 0);

  long wrong = 0;
  const auto fused = site<1>.sum<float>().fused(kParts, 0, kTokens / kTile, kCount * sizeof(float));
  for (int round = 0; round < kRounds; round++) {
    fill<<<blocks_for(x_count, 128), 128, 0, ranks.stream>>>(x, x_count, ranks.rank, round);
    launch_project(x, weights, partial, ranks.stream);
    CHECK(comm::all_reduce(fused, partial, sum, kCount, ncclFloat, ncclSum, ranks.comm, ranks.stream));
    rms_norm<<<kTokens, kWidth, 0, ranks.stream>>>(sum, scale, out);
    const std::vector<double> all = expected(ranks.count, round);
    wrong += count_wrong(out, kCount, 1e-4, ranks.stream, [&](size_t i) { return all[i]; });
  }
  for (float* window : {partial, sum}) CHECK(comm::release(window));
  for (float* memory : {x, weights, scale, out}) CHECK(cudaFree(memory));
  return ranks.verdict(wrong);
}
