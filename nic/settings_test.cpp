#include "nic/settings.h"

#include <gtest/gtest.h>

namespace cuco::nic {
namespace {

TEST(NicSettings, ReadsLinkAndSharing) {
  const auto settings = read_settings({{"CUCO_NIC_BANDWIDTH", "25GB/s"},
                                       {"CUCO_NIC_LATENCY", "1.5us"},
                                       {"CUCO_NIC_GAP", "200ns"},
                                       {"CUCO_NIC_SHARED", "node"}});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_DOUBLE_EQ(settings->link.bytes_per_ns, 25);
  EXPECT_EQ(settings->link.latency_ns, 1'500);
  EXPECT_EQ(settings->link.gap_ns, 200);
  EXPECT_EQ(settings->sharing, Sharing::Node);
}

TEST(NicSettings, ReadsBitsPerSecond) {
  EXPECT_DOUBLE_EQ(*parse_bytes_per_ns("100Gb/s"), 12.5);
  EXPECT_DOUBLE_EQ(*parse_bytes_per_ns("500MB/s"), 0.5);
}

TEST(NicSettings, RefusesMisspeltName) {
  const auto settings = read_settings({{"CUCO_NIC_LATENZY", "10us"}});
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().message.find("CUCO_NIC_LATENZY: there is no such setting"), 0u);
}

TEST(NicSettings, RefusesValueWithoutUnit) {
  EXPECT_EQ(parse_duration_ns("10").error().message, "'10': write a duration such as 10us");
  EXPECT_EQ(read_settings({{"CUCO_NIC_BANDWIDTH", "fast"}}).error().message,
            "CUCO_NIC_BANDWIDTH='fast': write a bandwidth such as 12.5GB/s or 100Gb/s");
}

TEST(NicSettings, KnowsWhetherNcclServesPutsOfTheHost) {
  EXPECT_TRUE(read_settings({})->host_puts);
  EXPECT_TRUE(read_settings({{"NCCL_RMA_DISABLE", "0"}})->host_puts);
  EXPECT_FALSE(read_settings({{"NCCL_RMA_DISABLE", "1"}})->host_puts);
}

TEST(NicSettings, ReadsEngine) {
  EXPECT_EQ(read_settings({})->engine, EngineKind::Apart);
  EXPECT_EQ(read_settings({{"CUCO_NIC_ENGINE", "kernel"}})->engine, EngineKind::Kernel);
  EXPECT_EQ(read_settings({{"CUCO_NIC_ENGINE", "copies"}})->engine, EngineKind::Copies);
  EXPECT_EQ(read_settings({{"CUCO_NIC_ENGINE", "gpu"}}).error().message,
            "CUCO_NIC_ENGINE='gpu': write kernel, apart or copies");
}

TEST(NicSettings, RefusesBandwidthOfNothing) {
  EXPECT_FALSE(parse_bytes_per_ns("0GB/s"));
  EXPECT_FALSE(parse_bytes_per_ns("-1GB/s"));
  EXPECT_FALSE(parse_duration_ns("-1us"));
}

TEST(NicSettings, LeavesVariablesOfOthersAlone) {
  EXPECT_TRUE(read_settings({{"CUCO_LLM", "x"}, {"CUCO_NICE", "y"}, {"NCCL_DEBUG", "INFO"}}));
}

TEST(NicSettings, TakesSessionFromTheLauncher) {
  EXPECT_EQ(read_settings({{"PMIX_NAMESPACE", "job1"}})->session, "job1");
  EXPECT_EQ(read_settings({{"PMIX_NAMESPACE", "job1"}, {"CUCO_NIC_SESSION", "mine"}})->session, "mine");
  EXPECT_EQ(read_settings({})->session, "default");
}

TEST(NicSettings, TakesNodeFromNccl) { EXPECT_EQ(read_settings({{"NCCL_HOSTID", "node7"}})->node, "node7"); }

}  // namespace
}  // namespace cuco::nic
