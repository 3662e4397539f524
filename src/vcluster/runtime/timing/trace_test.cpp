#include "vcluster/runtime/timing/trace.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

Timeline put_and_wait() {
  Timeline timeline(2, true);
  timeline.add_operation({1, 2, 5 * kMicrosecond, 9 * kMicrosecond, "kernel wait launched at a.cu:7", {}});
  size_t put = timeline.add_send({0, true, 1'500'000, 2'000'001, "put of 64 bytes to rank 1"});
  timeline.add_flow({put, 1, 2, 6 * kMicrosecond});
  timeline.add_block({1, 3, 1, 5 * kMicrosecond, 8 * kMicrosecond, "wait", 12});
  return timeline;
}

TEST(Trace, ShowsRanksAsProcessesAndStreamsAsThreads) {
  std::string text = trace_json(put_and_wait());
  EXPECT_TRUE(has(text, R"("pid":1,"tid":3,"ts":5.000000,"dur":4.000000,"name":"kernel wait launched at a.cu:7")"));
  EXPECT_TRUE(has(text, R"("name":"thread_name","args":{"name":"stream 2"})"));
  EXPECT_TRUE(has(text, R"("args":{"name":"rank 1"})"));
}

TEST(Trace, KeepsPicoseconds) { EXPECT_TRUE(has(trace_json(put_and_wait()), R"("ts":1.500000,"dur":0.500001)")); }

TEST(Trace, LeadsFromAPutToTheWaitItSatisfied) {
  std::string text = trace_json(put_and_wait());
  EXPECT_TRUE(has(text, R"({"ph":"s","id":1,"pid":0,"tid":100001,"ts":1.500000)"));
  EXPECT_TRUE(has(text, R"({"ph":"f","id":1,"pid":1,"tid":3,"ts":6.000000)"));
}

TEST(Trace, NamesBlocksByMultiprocessorAndSlot) {
  EXPECT_TRUE(has(trace_json(put_and_wait()), R"("args":{"name":"SM 3.1"})"));
}

TEST(Trace, HasNoArrowWithoutAPut) {
  Timeline timeline(1, true);
  timeline.add_flow({Timeline::kNoSend, 0, 0, 5});
  EXPECT_FALSE(has(trace_json(timeline), R"("ph":"s")"));
}

}  // namespace
}  // namespace cuco::vcluster
