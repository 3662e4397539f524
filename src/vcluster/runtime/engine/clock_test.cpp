#include "vcluster/runtime/engine/clock.h"

#include <gtest/gtest.h>

#include <string>

namespace cuco::vcluster {
namespace {

TEST(EventQueue, RunsByTimeAndThenByOrderOfArrival) {
  EventQueue queue;
  std::string trace;
  queue.at(20, [&] { trace += 'c'; });
  queue.at(10, [&] { trace += 'a'; });
  queue.at(10, [&] { trace += 'b'; });
  while (!queue.empty()) queue.run_next();
  EXPECT_EQ(trace, "abc");
  EXPECT_EQ(queue.now(), 20);
}

TEST(EventQueue, NeverTurnsBack) {
  EventQueue queue;
  Time seen = 0;
  queue.at(50, [&] { queue.at(10, [&] { seen = queue.now(); }); });
  while (!queue.empty()) queue.run_next();
  EXPECT_EQ(seen, 50);
}

}  // namespace
}  // namespace cuco::vcluster
