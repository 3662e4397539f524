#include "nic/statistics.h"

#include <gtest/gtest.h>

namespace cuco::nic {
namespace {

TEST(NicStatistics, BucketsDoubleFromAQuarterMicrosecond) {
  EXPECT_EQ(lateness_bucket(-5), 0);
  EXPECT_EQ(lateness_bucket(0), 0);
  EXPECT_EQ(lateness_bucket(249), 1);
  EXPECT_EQ(lateness_bucket(250), 2);
  EXPECT_EQ(lateness_bucket(499), 2);
  EXPECT_EQ(lateness_bucket(int64_t{1} << 40), kLatenessBuckets - 1);
}

TEST(NicStatistics, RunIsInvalidWhenTooManyMessagesAreLate) {
  Settings settings;
  NicCounters counters;
  counters.received_messages = 100;
  for (int i = 0; i < 5; ++i) count_lateness(counters, settings.late_ns + 1, settings.late_ns);
  EXPECT_TRUE(valid_for_timing(counters, settings));
  count_lateness(counters, settings.late_ns + 1, settings.late_ns);
  EXPECT_FALSE(valid_for_timing(counters, settings));
}

TEST(NicStatistics, StagedOrFailedMessagesMakeARunInvalid) {
  NicCounters staged;
  staged.received_messages = staged.staged_messages = 1;
  EXPECT_FALSE(valid_for_timing(staged, {}));
  NicCounters failed;
  failed.received_messages = failed.failed_messages = 1;
  EXPECT_FALSE(valid_for_timing(failed, {}));
}

TEST(NicStatistics, TextTellsTrafficFloorAndVerdict) {
  NicCounters counters;
  counters.sent_bytes = 4096;
  const std::string text = statistics_text(counters, {}, {.floor_ns = 7'500}, 3);
  EXPECT_NE(text.find("\"nic\":3"), std::string::npos);
  EXPECT_NE(text.find("\"sent_bytes\":4096"), std::string::npos);
  EXPECT_NE(text.find("\"floor_ns\":7500"), std::string::npos);
  EXPECT_NE(text.find("\"valid_for_timing\":true}\n"), std::string::npos);
}

}  // namespace
}  // namespace cuco::nic
