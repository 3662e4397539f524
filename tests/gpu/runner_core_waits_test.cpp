// Threads that share a core wait for each other, and the runner sees it.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <thread>

#include "cuco/runner/core_waits.h"

namespace cuco::runner {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kSpun{200};

int first_allowed_core() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int core = 0;
  while (!CPU_ISSET(core, &allowed)) core++;
  return core;
}

void spin_on(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof(one), &one);
  for (Clock::time_point end = Clock::now() + kSpun; Clock::now() < end;) {
  }
}

TEST(RunnerCoreWaits, ThreadsOnOneCoreWaitForEachOther) {
  // Threads must be there at the beginning and at the end.
  CoreWaits waits;
  double waited_us = 0;
  std::thread watched([&] {
    std::thread rival([&] { spin_on(first_allowed_core()); });
    waits.begin();
    spin_on(first_allowed_core());
    waited_us = waits.longest_us();
    rival.join();
  });
  watched.join();
  if (waited_us == 0 && !std::ifstream("/proc/self/schedstat")) GTEST_SKIP() << "this kernel does not count waiting";
  EXPECT_GT(waited_us, 20'000) << "half of 200 ms was the other thread's";
}

TEST(RunnerCoreWaits, ThreadThatSleepsDoesNotWait) {
  CoreWaits waits;
  waits.begin();
  std::this_thread::sleep_for(kSpun);
  EXPECT_LT(waits.longest_us(), 150'000);
}

}  // namespace
}  // namespace cuco::runner
