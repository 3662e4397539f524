// Around a ring each rank's kernel sends what it writes to the next rank. It is one kernel: launches that send and
// those that do not differ in what they are given.
#include <cuco/comm/sending.cuh>

#include "ranks.h"

constexpr int kBlocks = 8, kThreads = 64, kRounds = 3;
constexpr size_t kCount = (size_t)kBlocks * kThreads;
constexpr int64_t kTile = kThreads * sizeof(float);

__global__ void produce(float* out, int rank, int round, const comm::FusedMessages fused) {
  comm::begin_sending<Path>(fused);
  const size_t i = (size_t)blockIdx.x * kThreads + threadIdx.x;
  out[i] = value(rank, round, i);
  comm::end_sending<Path>(fused, blockIdx);
}

void launch(const Ranks& ranks, float* out, int round) {
  const auto shape = comm::Shape().on_grid(kBlocks, 1, 1).of_threads(kThreads, 1, 1);
  comm::launch_sending({shape.writes(out, comm::Tiles().step(kTile, 0, 0).piece(kTile), kBlocks * kTile)}, kBlocks,
                       kThreads, ranks.stream, [=, &ranks](const comm::FusedMessages& fused) {
                         produce<<<kBlocks, kThreads, 0, ranks.stream>>>(out, ranks.rank, round, fused);
                       });
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  float *out = nullptr, *in = nullptr;
  CHECK(comm::allocate(&out, kCount * sizeof(float)));
  CHECK(comm::allocate(&in, kCount * sizeof(float)));
  comm::open_all<Path>(comm::Options().slots(64));
  const int next = (ranks.rank + 1) % ranks.count, last = (ranks.rank + ranks.count - 1) % ranks.count;
  const auto way = site<1>.sent_by_writers(512);
  long wrong = 0;
  for (int round = 0; round < kRounds; round++) {
    launch(ranks, out, round);
    CHECK(comm::group_start());
    CHECK(comm::send(way, out, kCount, ncclFloat, next, ranks.comm, ranks.stream));
    CHECK(comm::receive(way, in, kCount, ncclFloat, last, ranks.comm, ranks.stream));
    CHECK(comm::group_end());
    wrong += count_wrong(in, kCount, 0, ranks.stream, [&](size_t i) { return value(last, round, i); });
    launch(ranks, out, -1);
    comm::launch_waiting();
  }
  CHECK(comm::release(out));
  CHECK(comm::release(in));
  return ranks.verdict(wrong);
}
