// Ring attention: every rank has a block of the sequence. Its queries meet the keys and values of all ranks, which go
// around a ring. While a block is used it also travels to the next rank, and the one behind it arrives.
#include <cuco/comm/overlap.cuh>

#include "ranks.h"

constexpr int kTokens = 16, kWidth = 8;  // Of a rank's block; width of a head.
constexpr int kRounds = 3;
constexpr size_t kBlock = (size_t)kTokens * kWidth;

// What a query has seen so far: the softmax of blocks that come one after the other.
struct State {
  float largest, sum, out[kWidth];
};

__device__ float score(const float* query, const float* key) {
  float sum = 0;
  for (int i = 0; i < kWidth; i++) sum += query[i] * key[i];
  return sum / kWidth;
}

// One query a thread, against a block of keys and the values behind them.
__global__ void attend(const float* queries, const float* block, State* states, bool is_first) {
  const float* query = queries + threadIdx.x * kWidth;
  State state = is_first ? State{-INFINITY, 0, {}} : states[threadIdx.x];
  for (int token = 0; token < kTokens; token++) {
    const float *key = block + token * kWidth, *values = key + kBlock;
    const float found = score(query, key), largest = fmaxf(state.largest, found);
    const float old = expf(state.largest - largest), weight = expf(found - largest);
    state.largest = largest;
    state.sum = state.sum * old + weight;
    for (int i = 0; i < kWidth; i++) state.out[i] = state.out[i] * old + weight * values[i];
  }
  states[threadIdx.x] = state;
}

__global__ void finish(const State* states, float* out) {
  const State& state = states[threadIdx.x];
  for (int i = 0; i < kWidth; i++) out[threadIdx.x * kWidth + i] = state.out[i] / state.sum;
}

void pass_on(const Ranks& ranks, const float* block, float* next) {
  const int right = (ranks.rank + 1) % ranks.count, left = (ranks.rank + ranks.count - 1) % ranks.count;
  CHECK(comm::group_start());
  CHECK(comm::send(site<1>.on_stream(0), block, 2 * kBlock, ncclFloat, right, ranks.comm, ranks.stream));
  CHECK(comm::receive(site<1>.on_stream(0), next, 2 * kBlock, ncclFloat, left, ranks.comm, ranks.stream));
  CHECK(comm::group_end());
}

// All blocks, from this rank's own in blocks[0] on.
void ring(const Ranks& ranks, const float* queries, float* const* blocks, State* states) {
  for (int step = 0; step < ranks.count; step++) {
    float *block = blocks[step % 2], *next = blocks[(step + 1) % 2];
    if (step + 1 < ranks.count) pass_on(ranks, block, next);
    comm::before(ranks.stream, {comm::reads(block)});  // Waits until the block has come.
    attend<<<1, kTokens, 0, ranks.stream>>>(queries, block, states, step == 0);
    comm::after(ranks.stream, {comm::reads(block)});  // What comes next into its place waits for this.
  }
}

// Queries are the values of round + 1, keys and values those of `round`.
double expected(const Ranks& ranks, int round, size_t i) {
  double sum = 0, out = 0;
  for (int rank = 0; rank < ranks.count; rank++)
    for (size_t token = 0; token < kTokens; token++) {
      double found = 0;
      for (size_t k = 0; k < kWidth; k++)
        found += value(ranks.rank, round + 1, i / kWidth * kWidth + k) * value(rank, round, token * kWidth + k);
      const double weight = std::exp(found / kWidth);
      sum += weight;
      out += weight * value(rank, round, kBlock + token * kWidth + i % kWidth);
    }
  return out / sum;
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float *queries = nullptr, *out = nullptr, *blocks[2] = {};
  State* states = nullptr;
  CHECK(cudaMalloc(&queries, kBlock * sizeof(float)));
  CHECK(cudaMalloc(&out, kBlock * sizeof(float)));
  CHECK(cudaMalloc(&states, kTokens * sizeof(State)));
  for (float*& block : blocks) CHECK(comm::allocate(&block, 2 * kBlock * sizeof(float)));
  comm::open_all<Path>(comm::Options().overlap(1));

  long wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    fill<<<blocks_for(kBlock, 128), 128, 0, ranks.stream>>>(queries, kBlock, ranks.rank, round + 1);
    comm::before(ranks.stream, {comm::writes(blocks[0])});  // The round before has sent from here.
    fill<<<blocks_for(2 * kBlock, 128), 128, 0, ranks.stream>>>(blocks[0], 2 * kBlock, ranks.rank, round);
    comm::after(ranks.stream, {comm::writes(blocks[0])});
    ring(ranks, queries, blocks, states);
    finish<<<1, kTokens, 0, ranks.stream>>>(states, out);
    wrong += count_wrong(out, kBlock, 1e-4, ranks.stream, [&](size_t i) { return expected(ranks, round, i); });
  }
  for (float* block : blocks) CHECK(comm::release(block));
  for (void* memory : {(void*)queries, (void*)out, (void*)states}) CHECK(cudaFree(memory));
  return ranks.verdict(wrong);
}
