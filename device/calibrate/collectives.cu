// Host collectives by size, on plain buffers and on registered windows. Each is queued between kernels, as programs do
// it: a time here is that of a kernel of kShortSpin clocks and the collective, with the gaps before both.
#include "measure.h"

using namespace calibrate;

struct Buffers {
  char *send = nullptr, *receive = nullptr;
};

struct Collective {
  const char* name;
  ncclResult_t (*call)(const Buffers&, size_t bytes, const Ranks&, ncclComm_t);
};

ncclResult_t all_gather(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  return ncclAllGather(at.send, at.receive, bytes / sizeof(float), ncclFloat32, comm, ranks.stream);
}
ncclResult_t all_reduce(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  return ncclAllReduce(at.send, at.receive, bytes / sizeof(float), ncclFloat32, ncclSum, comm, ranks.stream);
}
ncclResult_t reduce_scatter(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  return ncclReduceScatter(at.send, at.receive, bytes / sizeof(float), ncclFloat32, ncclSum, comm, ranks.stream);
}
ncclResult_t broadcast(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  return ncclBroadcast(at.send, at.receive, bytes / sizeof(float), ncclFloat32, 0, comm, ranks.stream);
}

ncclResult_t exchange(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm, int distance) {
  size_t count = bytes / sizeof(float);
  int to = (ranks.rank + distance) % ranks.count, from = (ranks.rank + ranks.count - distance) % ranks.count;
  ncclGroupStart();
  ncclSend(at.send, count, ncclFloat32, to, comm, ranks.stream);
  ncclRecv(at.receive, count, ncclFloat32, from, comm, ranks.stream);
  return ncclGroupEnd();
}

// Every rank sends to the next.
ncclResult_t send_receive(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  return exchange(at, bytes, ranks, comm, 1);
}
// Every rank sends to its like on the next node.
ncclResult_t send_between(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  return exchange(at, bytes, ranks, comm, ranks.per_node);
}

// Every rank sends a part to every rank.
ncclResult_t all_to_all(const Buffers& at, size_t bytes, const Ranks& ranks, ncclComm_t comm) {
  size_t count = bytes / sizeof(float);
  ncclGroupStart();
  for (int peer = 0; peer < ranks.count; peer++) {
    ncclSend(at.send + bytes * peer, count, ncclFloat32, peer, comm, ranks.stream);
    ncclRecv(at.receive + bytes * peer, count, ncclFloat32, peer, comm, ranks.stream);
  }
  return ncclGroupEnd();
}

constexpr Collective kCollectives[] = {
    {"all_gather", all_gather}, {"all_reduce", all_reduce},     {"reduce_scatter", reduce_scatter},
    {"broadcast", broadcast},   {"send_receive", send_receive}, {"all_to_all", all_to_all},
};
constexpr Collective kBetweenNodes = {"send_between", send_between};

constexpr size_t kLeastBytes = 4 << 10, kMostBytes = 64 << 20;

void measure_one(const Ranks& ranks, ncclComm_t comm, const Buffers& at, const Collective& collective,
                 const std::string& suffix) {
  std::string name = collective.name + suffix;
  for (size_t bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 4) {
    int repeat = bytes <= (1 << 20) ? 20 : 4;
    measure_together(ranks, {name.c_str(), Who::All, double(bytes), double(bytes)}, 7, [&] {
      return queued_us(ranks, repeat, [&](int) {
        spin<<<ranks.sm_count, 128, 0, ranks.stream>>>(kShortSpin);
        check(collective.call(at, bytes, ranks, comm));
      });
    });
  }
}

void measure_all(const Ranks& ranks, ncclComm_t comm, const Buffers& at, const std::string& suffix) {
  for (const Collective& collective : kCollectives) measure_one(ranks, comm, at, collective, suffix);
  if (ranks.per_node < ranks.count) measure_one(ranks, comm, at, kBetweenNodes, suffix);
}

// How long the host is busy with a call.
void measure_host_call(const Ranks& ranks, ncclComm_t comm, const Buffers& at) {
  constexpr int kCalls = 20;
  measure_each(ranks, {"host_collective_call"}, 21, [&] {
    spin<<<1, 1, 0, ranks.stream>>>(2'000'000);
    double begin = now_us();
    for (int i = 0; i < kCalls; i++) check(all_gather(at, kLeastBytes, ranks, comm));
    double end = now_us();
    check(cudaStreamSynchronize(ranks.stream));
    return (end - begin) / kCalls;
  });
}

// What a collective's times are to be held against: its kernel alone.
void measure_spin(const Ranks& ranks, long long clocks) {
  measure_together(ranks, {"spin", Who::All, double(clocks)}, 21, [&] {
    return queued_us(ranks, 50, [&](int) { spin<<<ranks.sm_count, 128, 0, ranks.stream>>>(clocks); });
  });
}

void measure_windows(const Ranks& ranks, ncclComm_t comm, size_t bytes) {
  void *send = nullptr, *receive = nullptr;
  ncclWindow_t windows[2];
  check(ncclMemAlloc(&send, bytes));
  check(ncclMemAlloc(&receive, bytes));
  check(cudaMemset(send, 0, bytes));
  check(ncclCommWindowRegister(comm, send, bytes, &windows[0], NCCL_WIN_COLL_SYMMETRIC));
  check(ncclCommWindowRegister(comm, receive, bytes, &windows[1], NCCL_WIN_COLL_SYMMETRIC));
  measure_all(ranks, comm, {static_cast<char*>(send), static_cast<char*>(receive)}, "_window");
  for (ncclWindow_t window : windows) check(ncclCommWindowDeregister(comm, window));
  check(ncclMemFree(send));
  check(ncclMemFree(receive));
}

int main(int argc, char** argv) {
  Ranks ranks(&argc, &argv);
  Communicator communicator(ranks);
  size_t bytes = kMostBytes * static_cast<size_t>(ranks.count);
  for (long long clocks : {kShortSpin, kLongSpin}) measure_spin(ranks, clocks);
  {
    DeviceBytes send(bytes), receive(bytes);
    Buffers plain{send.data, receive.data};
    measure_host_call(ranks, communicator.comm, plain);
    measure_all(ranks, communicator.comm, plain, "");
  }
  measure_windows(ranks, communicator.comm, bytes);
}
