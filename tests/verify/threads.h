// Ranks as host threads of one process: every thread has a device and a communicator over all of them.
#pragma once

#include <nccl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) ((call) == 0 ? (void)0 : (std::printf("%s failed\n", #call), std::exit(1)))

struct Member {
  int rank, count;
  ncclComm_t comm;
};

// Calls `body` once per rank, which returns how much it found wrong; gives main's exit code.
template <class Body>
int run_as_threads(int count, Body body) {
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  std::atomic<int> wrong{0};
  auto run_rank = [&](int rank) {
    CHECK(cudaSetDevice(rank));
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, count, id, rank));
    wrong += body(Member{rank, count, comm});
    CHECK(ncclCommDestroy(comm));
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; rank++) threads.emplace_back(run_rank, rank);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d wrong\n", wrong.load());
  return wrong != 0;
}
