#include "agent/space_text.h"

#include <gtest/gtest.h>

#include "space/fixtures.h"

namespace cuco::agent {
namespace {

TEST(SpaceText, TheMachineHasTheLinksThatItsRanksUse) {
  std::string two = describe_machine(space::two_nodes());
  EXPECT_TRUE(two.starts_with("2 ranks on 2 nodes, each with 100 SMs of ")) << two;
  EXPECT_NE(two.find("Between nodes: roce, 5 us, 12 GB/s a rank each way.\n"), std::string::npos) << two;
  EXPECT_EQ(two.find("Inside a node"), std::string::npos);
  EXPECT_NE(describe_machine(space::nvlink_box()).find("Inside a node: nvlink"), std::string::npos);
}

TEST(SpaceText, TheSizesOfTheRunAreSaid) {
  EXPECT_EQ(describe_sizes({{"batch", 16}, {"hidden", 32}}),
            "It is timed with batch=16, hidden=32, and must be right with others.\n");
  EXPECT_EQ(describe_sizes({}), "") << "a program without parameters";
}

TEST(SpaceText, ASiteHasOnlyWhatIsLegalThere) {
  std::string text = describe_choices({space::test_site("s1")}, space::two_nodes());
  EXPECT_TRUE(text.starts_with("- s1, ncclAllGather of 16777216 bytes a rank at ring.cu:10:3: backend host, gin; "))
      << text;
  EXPECT_EQ(text.find("lsa"), std::string::npos) << "ranks of different nodes";
  EXPECT_NE(text.find("chunk whole, "), std::string::npos);
}

}  // namespace
}  // namespace cuco::agent
