#include "evaluate/network_use.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::evaluate {
namespace {

std::string line(int overdue_ns, const std::string& more = "") {
  return concat(R"({"nic":0,"bandwidth_gb_s":12.5,"latency_ns":10000,"sent_bytes":1000,"sent_messages":3,)",
                R"("received_messages":4,"transmit_busy_ns":80,"late_messages":1,"late_ns_max":2500,)",
                R"("lateness":[[0,3],[250,0],[-1,1]],"floor_ns":5600,"overdue_ns":)", overdue_ns, more, "}\n");
}

TEST(NetworkUse, AddsUpTheNics) {
  std::optional<NetworkUse> use = network_use_of(line(1000) + line(2000), 100);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->nic_count, 2u);
  EXPECT_EQ(use->sent_bytes, 2000u);
  EXPECT_EQ(use->overdue_us, 3);
  EXPECT_EQ(use->floor_us, 5.6);
  EXPECT_EQ(use->late_us_max, 2.5);
  EXPECT_EQ(use->lateness[2], (NetworkUse::Bucket{-1, 2}));
  EXPECT_EQ(use->doubt(), "");
}

TEST(NetworkUse, OverdueForMoreThanTheStatedShareIsNotValid) {
  EXPECT_EQ(network_use_of(line(5000), 100)->doubt(), "");
  EXPECT_EQ(network_use_of(line(5100), 100)->doubt(), "messages were overdue for 5.1 % of the time, more than 5.0 %");
}

TEST(NetworkUse, StagedOrFailedMessagesAreNotValid) {
  EXPECT_EQ(network_use_of(line(0, R"(,"staged_messages":2)"), 100)->doubt(),
            "2 messages went through host memory, because its memory cannot be shared");
  EXPECT_EQ(network_use_of(line(0, R"(,"failed_messages":1)"), 100)->doubt(), "1 message of the emulated NIC failed");
}

TEST(NetworkUse, NoStatisticsAreNoUse) {
  EXPECT_FALSE(network_use_of("", 100));
  EXPECT_FALSE(network_use_of("half a li", 100));
}

TEST(NetworkUse, JsonIsReadBack) {
  NetworkUse use = *network_use_of(line(5100), 100);
  std::string text = to_json(use);
  EXPECT_NE(text.find(R"("valid_for_timing":false)"), text.npos) << text;
  EXPECT_EQ(to_json(*network_use_from_json(text)), text);
}

TEST(NetworkUse, TextHasLinkFloorAndDoubt) {
  EXPECT_EQ(to_text(*network_use_of(line(1000), 100)),
            "emulated network 12.5 GB/s, 10 us (floor 5.6 us): 3 messages, 0.0 MB, 1 over 2 us late, overdue for 1.0 % "
            "of the time");
  std::string late = to_text(*network_use_of(line(9000), 100));
  EXPECT_TRUE(late.ends_with("not valid for timing: messages were overdue for 9.0 % of the time, more than 5.0 %"))
      << late;
}

}  // namespace
}  // namespace cuco::evaluate
