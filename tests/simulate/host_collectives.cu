// Every host collective, among them the in-place forms and a pre-multiplied sum.
// ranks: 4
// expect: ok
// expect: rank 0: 0 wrong
// expect: rank 3: 0 wrong
#include "support.h"

constexpr int kCount = 100;

int value(int rank, int i) { return rank * 1000 + i; }

struct Buffers {
  int *send, *receive;
};

long check(const char* what, bool right) {
  if (!right) std::printf("%s is wrong\n", what);
  return !right;
}

void refill(const Buffers& buffers, int rank, int count) {
  std::vector<int> values(count * kCount), poison(count * kCount, -1);
  for (int i = 0; i < count * kCount; i++) values[i] = value(rank, i);
  upload(buffers.send, values);
  upload(buffers.receive, poison);
}

long reductions(const Ranks& ranks, const Buffers& b) {
  const int n = ranks.count, sum = n * (n - 1) / 2 * 1000;
  long wrong = 0;
  CHECK(ncclAllReduce(b.send, b.receive, kCount, ncclInt, ncclSum, ranks.comm, nullptr));
  wrong += check("sum", download(b.receive, kCount)[5] == sum + n * 5);
  CHECK(ncclAllReduce(b.send, b.receive, kCount, ncclInt, ncclMax, ranks.comm, nullptr));
  wrong += check("max", download(b.receive, kCount)[5] == value(n - 1, 5));
  CHECK(ncclReduce(b.send, b.receive, kCount, ncclInt, ncclMin, 1, ranks.comm, nullptr));
  wrong += check("reduce", ranks.rank != 1 || download(b.receive, kCount)[7] == 7);
  CHECK(ncclReduceScatter(b.send, b.receive, kCount, ncclInt, ncclSum, ranks.comm, nullptr));
  wrong += check("reduce-scatter", download(b.receive, kCount)[3] == sum + n * (ranks.rank * kCount + 3));
  return wrong;
}

long movements(const Ranks& ranks, const Buffers& b) {
  const int n = ranks.count, rank = ranks.rank;
  long wrong = 0;
  CHECK(ncclBroadcast(b.send, b.receive, kCount, ncclInt, 2, ranks.comm, nullptr));
  wrong += check("broadcast", download(b.receive, kCount)[9] == value(2, 9));
  CHECK(ncclAllGather(b.send, b.receive, kCount, ncclInt, ranks.comm, nullptr));
  wrong += check("all-gather", download(b.receive, n * kCount)[(n - 1) * kCount + 1] == value(n - 1, 1));
  CHECK(ncclAlltoAll(b.send, b.receive, kCount, ncclInt, ranks.comm, nullptr));
  wrong += check("all-to-all", download(b.receive, n * kCount)[kCount + 4] == value(1, rank * kCount + 4));
  CHECK(ncclGather(b.send, b.receive, kCount, ncclInt, 0, ranks.comm, nullptr));
  wrong += check("gather", rank != 0 || download(b.receive, n * kCount)[2 * kCount] == value(2, 0));
  CHECK(ncclScatter(b.send, b.receive, kCount, ncclInt, 0, ranks.comm, nullptr));
  wrong += check("scatter", download(b.receive, kCount)[6] == value(0, rank * kCount + 6));
  return wrong;
}

long ring(const Ranks& ranks, const Buffers& b) {
  const int n = ranks.count, left = (ranks.rank + n - 1) % n;
  CHECK(ncclGroupStart());
  CHECK(ncclSend(b.send, kCount, ncclInt, (ranks.rank + 1) % n, ranks.comm, nullptr));
  CHECK(ncclRecv(b.receive, kCount, ncclInt, left, ranks.comm, nullptr));
  CHECK(ncclGroupEnd());
  return check("ring", download(b.receive, kCount)[8] == value(left, 8));
}

long in_place(const Ranks& ranks, const Buffers& b) {
  const int n = ranks.count, rank = ranks.rank, sum = n * (n - 1) / 2 * 1000;
  int* own = b.send + rank * kCount;
  long wrong = 0;
  CHECK(ncclAlltoAll(b.send, b.send, kCount, ncclInt, ranks.comm, nullptr));
  wrong += check("all-to-all in place", download(b.send, n * kCount)[2 * kCount + 2] == value(2, rank * kCount + 2));
  refill(b, rank, n);
  CHECK(ncclReduceScatter(b.send, own, kCount, ncclInt, ncclSum, ranks.comm, nullptr));
  wrong += check("reduce-scatter in place", download(own, kCount)[3] == sum + n * (rank * kCount + 3));
  refill(b, rank, n);
  CHECK(ncclAllReduce(b.send, b.send, kCount, ncclInt, ncclSum, ranks.comm, nullptr));
  wrong += check("all-reduce in place", download(b.send, kCount)[6] == sum + n * 6);
  refill(b, rank, n);
  CHECK(ncclAllGather(own, b.send, kCount, ncclInt, ranks.comm, nullptr));
  return wrong + check("in place", download(b.send, n * kCount)[kCount + 2] == value(1, kCount + 2));
}

// More than is reduced at a time.
long large(const Ranks& ranks, const Buffers&) {
  const int count = 150'000, n = ranks.count;
  std::vector<int> values(count);
  for (int i = 0; i < count; i++) values[i] = value(ranks.rank, i);
  int* memory;
  CHECK(cudaMalloc(&memory, count * sizeof(int)));
  upload(memory, values);
  CHECK(ncclAllReduce(memory, memory, count, ncclInt, ncclSum, ranks.comm, nullptr));
  values = download(memory, count);
  long wrong = 0;
  for (int i = 0; i < count; i++) wrong += values[i] != n * (n - 1) / 2 * 1000 + n * i;
  CHECK(cudaFree(memory));
  return check("large", wrong == 0);
}

long split(const Ranks& ranks, const Buffers& b) {
  ncclComm_t half;
  CHECK(ncclCommSplit(ranks.comm, ranks.rank % 2, ranks.rank, &half, nullptr));
  CHECK(ncclAllReduce(b.send, b.receive, kCount, ncclInt, ncclSum, half, nullptr));
  int got = download(b.receive, kCount)[0], want = 0;
  for (int rank = ranks.rank % 2; rank < ranks.count; rank += 2) want += value(rank, 0);
  CHECK(ncclCommDestroy(half));
  return check("split", got == want);
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Buffers buffers;
  CHECK(cudaMalloc(&buffers.send, ranks.count * kCount * sizeof(int)));
  CHECK(cudaMalloc(&buffers.receive, ranks.count * kCount * sizeof(int)));
  long wrong = 0;
  for (auto* part : {reductions, movements, ring, split, in_place, large}) {
    refill(buffers, ranks.rank, ranks.count);
    wrong += part(ranks, buffers);
  }
  CHECK(cudaFree(buffers.send));
  CHECK(cudaFree(buffers.receive));
  return ranks.verdict(wrong);
}
