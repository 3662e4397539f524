// Mixture of experts, one expert a rank: tokens go to the experts that the router names, and their results come back.
// An expert starts on the tokens of a rank when these are there, and returns them while it works on the next rank's.
#include <cuco/comm/order.cuh>
#include <cuco/comm/overlap.cuh>

#include "ranks.h"

constexpr int kTokens = 32, kWidth = 16;  // Of a rank; elements of a token.
constexpr int kCapacity = 12;             // Tokens that a rank sends to one expert at most; what is over is dropped.
constexpr int kRounds = 3, kDropped = -1;
constexpr size_t kBox = (size_t)kCapacity * kWidth;  // A message.

__host__ __device__ int expert_of(int rank, int round, int token, int experts) {
  return (token * token + 3 * rank + round) % experts;
}
__host__ __device__ float gate_of(int token) { return 0.25f * (float)(1 + token % 3); }
// Experts differ by their rank.
__host__ __device__ float apply_expert(int expert, float element, float neighbour) {
  return (float)(expert + 1) * element + neighbour;
}

// One thread an expert: places in its box, in the order of tokens.
__global__ void route(int* places, int rank, int round, int experts) {
  const int expert = (int)threadIdx.x;
  for (int token = 0, used = 0; token < kTokens; token++) {
    if (expert_of(rank, round, token, experts) != expert) continue;
    places[token] = used < kCapacity ? expert * kCapacity + used : kDropped;
    used++;
  }
}

// One block a token.
__global__ void dispatch(const float* tokens, const int* places, float* boxes) {
  const int place = places[blockIdx.x];
  if (place != kDropped) boxes[place * kWidth + threadIdx.x] = tokens[blockIdx.x * kWidth + threadIdx.x];
}

// One block a place of a box. Places that no token has are computed as well.
__global__ void run_expert(const float* inbox, float* outbox, int expert) {
  const float* token = inbox + blockIdx.x * kWidth;
  outbox[blockIdx.x * kWidth + threadIdx.x] =
      apply_expert(expert, token[threadIdx.x], token[(threadIdx.x + 1) % kWidth]);
}

__global__ void combine(const float* returned, const int* places, float* out) {
  const int place = places[blockIdx.x];
  const float result = place == kDropped ? 0 : returned[place * kWidth + threadIdx.x];
  out[blockIdx.x * kWidth + threadIdx.x] = gate_of((int)blockIdx.x) * result;
}

// A box for each rank.
struct Boxes {
  float *sent = nullptr, *inbox = nullptr, *outbox = nullptr, *returned = nullptr;
  std::vector<float**> all() { return {&sent, &inbox, &outbox, &returned}; }
};

void run_experts(const Ranks& ranks, const Boxes& boxes) {
  for (int source : comm::ranks_in_order(ranks.count, comm::Order::LocalFirst)) {
    const float* from = boxes.inbox + source * kBox;
    float* to = boxes.outbox + source * kBox;
    comm::before(ranks.stream, {comm::reads_at(from), comm::writes_at(to)});  // Waits for this rank's tokens alone.
    run_expert<<<kCapacity, kWidth, 0, ranks.stream>>>(from, to, ranks.rank);
    comm::after(ranks.stream, {comm::reads_at(from), comm::writes_at(to)});
  }
}

void run_layer(const Ranks& ranks, const float* tokens, const int* places, const Boxes& boxes, float* out) {
  const auto beside = site<1>.on_stream(0).by_message();
  const auto beside_experts = site<2>.on_stream(0).by_message();
  comm::before(ranks.stream, {comm::writes(boxes.sent)});
  CHECK(cudaMemsetAsync(boxes.sent, 0, ranks.count * kBox * sizeof(float), ranks.stream));
  dispatch<<<kTokens, kWidth, 0, ranks.stream>>>(tokens, places, boxes.sent);
  comm::after(ranks.stream, {comm::writes(boxes.sent)});
  CHECK(comm::all_to_all(beside, boxes.sent, boxes.inbox, kBox, ncclFloat, ranks.comm, ranks.stream));
  run_experts(ranks, boxes);
  CHECK(comm::all_to_all(beside_experts, boxes.outbox, boxes.returned, kBox, ncclFloat, ranks.comm, ranks.stream));
  comm::before(ranks.stream, {comm::reads(boxes.returned)});
  combine<<<kTokens, kWidth, 0, ranks.stream>>>(boxes.returned, places, out);
  comm::after(ranks.stream, {comm::reads(boxes.returned)});
}

float expected(const Ranks& ranks, int round, size_t i) {
  const int token = (int)(i / kWidth), column = (int)(i % kWidth);
  const int expert = expert_of(ranks.rank, round, token, ranks.count);
  int before = 0;
  for (int other = 0; other < token; other++) before += expert_of(ranks.rank, round, other, ranks.count) == expert;
  if (before >= kCapacity) return 0;
  const size_t next = (size_t)token * kWidth + (column + 1) % kWidth;
  return gate_of(token) * apply_expert(expert, value(ranks.rank, round, i), value(ranks.rank, round, next));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  const size_t count = (size_t)kTokens * kWidth;
  float *tokens = nullptr, *out = nullptr;
  int* places = nullptr;
  Boxes boxes;
  CHECK(cudaMalloc(&tokens, count * sizeof(float)));
  CHECK(cudaMalloc(&out, count * sizeof(float)));
  CHECK(cudaMalloc(&places, kTokens * sizeof(int)));
  for (float** box : boxes.all()) CHECK(comm::allocate(box, ranks.count * kBox * sizeof(float)));
  comm::open_all<Path>(comm::Options().overlap(1));

  long wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    fill<<<blocks_for(count, 128), 128, 0, ranks.stream>>>(tokens, count, ranks.rank, round);
    route<<<1, ranks.count, 0, ranks.stream>>>(places, ranks.rank, round, ranks.count);
    run_layer(ranks, tokens, places, boxes, out);
    wrong += count_wrong(out, count, 0, ranks.stream, [&](size_t i) { return expected(ranks, round, i); });
  }
  for (float** box : boxes.all()) CHECK(comm::release(*box));
  for (void* memory : {(void*)tokens, (void*)out, (void*)places}) CHECK(cudaFree(memory));
  return ranks.verdict(wrong);
}
