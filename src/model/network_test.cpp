#include "model/network.h"

#include <gtest/gtest.h>

#include "model/profile_toml.h"

namespace cuco::model {
namespace {

TEST(Network, TextHasBandwidthAndLatency) {
  EXPECT_EQ(*parse_network("12.5GB/s,10us"), (Network{12.5, 10}));
  EXPECT_EQ(*parse_network("200Gb/s, 2500ns"), (Network{25, 2.5}));
  EXPECT_EQ(*parse_network(to_text({12.25, 5.5})), (Network{12.25, 5.5}));
}

TEST(Network, OtherTextIsRefusedWithAnExample) {
  for (const char* text :
       {"", "12.5GB/s", "12.5,10", "0GB/s,10us", "12.5GB/s,-1us", "10us,12.5GB/s", "12.5GB/s,10us,1"})
    EXPECT_FALSE(parse_network(text).ok()) << text;
  EXPECT_EQ(parse_network("fast").error().message,
            "'fast' is no network: write bandwidth and latency, such as 12.5GB/s,10us");
  EXPECT_EQ(parse_network("1e300GB/s,1us").error().message,
            "'1e300GB/s,1us' is no network: bandwidth must be a number from 1e-09 to 1e+06 GB/s, latency a number from "
            "1e-06 to 1e+07 us");
}

TEST(Network, OneNodeGetsALinkBetweenItsCopiesAndLosesItsCurves) {
  HardwareProfile profile;
  profile.collectives.resize(2);
  EXPECT_FALSE(network_of(profile));
  place_network(profile, {25, 20}, 2, 4);
  EXPECT_EQ(profile.topology.nodes, 2u);
  EXPECT_EQ(profile.topology.ranks_per_node, 2u);
  EXPECT_EQ(profile.topology.between->gb_per_s, 25);
  EXPECT_EQ(profile.topology.between->latency_us, 20);
  EXPECT_GT(profile.topology.between->messages_m_per_s, 0);
  EXPECT_TRUE(profile.collectives.empty());
}

TEST(Network, WhatElseIsKnownOfTheLinkIsKept) {
  HardwareProfile profile;
  profile.topology.between = Link{"roce", 5, 12.2, 10, {}};
  profile.collectives.resize(1);
  place_network(profile, {12.2, 5}, 2, 8);
  EXPECT_EQ(profile.collectives.size(), 1u) << "measured over this very network";
  place_network(profile, {25, 5}, 2, 8);
  EXPECT_EQ(profile.topology.between->kind, "roce");
  EXPECT_EQ(profile.topology.between->messages_m_per_s, 10);
  EXPECT_TRUE(profile.collectives.empty());
}

// The virtual cluster reads the profile from its text.
TEST(Network, RanksThatShareAGpuMayBeOnNodesOfTheirOwn) {
  for (const auto& [name, ranks] :
       {std::pair("h200-mps2", 2u), std::pair("h200-mps4", 4u), std::pair("h200-mps4", 2u)}) {
    HardwareProfile profile = load_profile(CUCO_SOURCE_DIR "/profiles", name).value();
    place_network(profile, {12.5, 10}, 2, ranks);
    Result<HardwareProfile> read = parse_profile("p", "p.toml", to_toml(profile));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->topology.rank_count(), ranks);
    EXPECT_EQ(network_of(*read), (Network{12.5, 10}));
  }
}

}  // namespace
}  // namespace cuco::model
