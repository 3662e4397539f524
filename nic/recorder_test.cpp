#include "nic/recorder.h"

#include <gtest/gtest.h>

#include "nic/clock.h"

namespace cuco::nic {
namespace {

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() { settings.link = {.bytes_per_ns = 1, .latency_ns = 10'000, .gap_ns = 0}; }

  // Came so late, if its flight of `latency` and a nanosecond a byte began at `sent_ns`.
  void arrive(int64_t sent_ns, int64_t late_ns, uint64_t bytes = 0) {
    const int64_t due = sent_ns + settings.link.latency_ns + static_cast<int64_t>(bytes);
    recorder.arrived({.bytes = bytes, .due_ns = due, .in_place_ns = due + late_ns});
  }

  Settings settings;
  NicCounters counters;
  Recorder recorder{settings, counters};
};

TEST_F(RecorderTest, MessagesThatAreOverdueTogetherCountOnce) {
  arrive(0, 1'000);
  arrive(500, 1'000);
  EXPECT_EQ(counters.overdue_ns, 1'500);
  EXPECT_EQ(counters.carried_ns, 11'500);
  EXPECT_EQ(counters.received_messages, 2u);
}

TEST_F(RecorderTest, OneLateMessageOfManyDoesNotSpoilALongTransfer) {
  for (int i = 0; i < 100; ++i) arrive(i * 10'000, i == 50 ? 40'000 : 0, 10'000);
  EXPECT_EQ(counters.overdue_ns, 40'000);
  EXPECT_TRUE(valid_for_timing(counters, settings));
}

TEST_F(RecorderTest, ShortMessagesThatAreAllSlightlyLateSpoilAChainOfThem) {
  int64_t sent = 0;
  for (int i = 0; i < 100; ++i, sent += 11'000) arrive(sent, 1'000);
  EXPECT_EQ(counters.overdue_ns, 100'000);
  EXPECT_EQ(counters.late_messages, 0u);
  EXPECT_FALSE(valid_for_timing(counters, settings));
}

TEST_F(RecorderTest, EarlyMessagesAreNotOverdue) {
  arrive(0, -200);
  EXPECT_EQ(counters.overdue_ns, 0);
  EXPECT_EQ(counters.carried_ns, 10'000);
}

TEST_F(RecorderTest, OnlyMarkedStretchesCountOnceThereAreAny) {
  arrive(0, 5'000'000);
  recorder.sent(64, 10);
  recorder.begin_timed();
  EXPECT_EQ(counters.overdue_ns, 0);
  EXPECT_EQ(counters.sent_bytes, 0u);
  const int64_t start = now_ns();
  arrive(start, 300);
  recorder.sent(32, 10);
  recorder.end_timed();
  arrive(start + 50'000, 5'000'000);
  recorder.sent(64, 10);
  EXPECT_EQ(counters.overdue_ns, 300);
  EXPECT_EQ(counters.sent_bytes, 32u);
  EXPECT_EQ(counters.received_messages, 1u);
  EXPECT_NE(statistics_text(counters, settings, {}, 0).find("\"marked\":true"), std::string::npos);
}

TEST_F(RecorderTest, TellsWhetherLatenessWasThereBeforeTheDeviceBegan) {
  recorder.arrived({.due_ns = 10'000, .in_place_ns = 15'000, .issue_late_ns = 4'000, .carry_ns = 3'000});
  recorder.arrived({.due_ns = 30'000, .in_place_ns = 35'000, .issue_late_ns = 100, .carry_ns = 7'000});
  EXPECT_EQ(counters.late_messages, 2u);
  EXPECT_EQ(counters.late_by_issue, 1u);
}

}  // namespace
}  // namespace cuco::nic
