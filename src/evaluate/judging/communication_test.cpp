#include "evaluate/judging/communication.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

using model::Carrier;
using model::Traffic;

// All ranks gather 1000 bytes of each other in each of two calls.
Traffic gathered(int ranks) {
  Traffic traffic{2, {}};
  for (int from = 0; from < ranks; from++)
    for (int to = 0; to < ranks; to++)
      if (from != to) traffic.transfers.push_back({from, to, Carrier::Host, "ncclAllGather", "a.cu:5", 2000});
  return traffic;
}

Traffic moved(std::vector<model::RankPair> pairs, Carrier carrier, uint64_t bytes) {
  Traffic traffic{2, {}};
  for (auto [from, to] : pairs) traffic.transfers.push_back({from, to, carrier, "move", "a.cu:9", bytes});
  return traffic;
}

std::vector<std::string> kinds(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) all.push_back(finding.kind);
  return all;
}

std::vector<Finding> check_communication(const Traffic& baseline, const Traffic& candidate) {
  std::vector<Finding> all = find_ways_around(baseline, candidate);
  for (Finding& finding : find_missing_data(baseline, candidate)) all.push_back(finding);
  return all;
}

using Kinds = std::vector<std::string>;

TEST(Communication, NamesRankPeerBytesAndCallOfWhatIsMissing) {
  std::vector<Finding> findings = check_communication(gathered(2), moved({{0, 1}}, Carrier::Lsa, 2000));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rank, 0);
  EXPECT_EQ(findings[0].text,
            "rank 0 gets no data of rank 1 in the region, neither by NCCL's host calls nor from kernels; the baseline "
            "gives it 2000 bytes of rank 1 (ncclAllGather at a.cu:5)");
}

TEST(Communication, FewerBytesPass) {
  EXPECT_TRUE(check_communication(gathered(2), moved({{0, 1}, {1, 0}}, Carrier::Gin, 700)).empty());
}

TEST(Communication, FlagsAreNoData) {
  EXPECT_EQ(kinds(check_communication(gathered(2), moved({{0, 1}, {1, 0}}, Carrier::Lsa, 2 * kFlagBytesMax - 1))),
            (Kinds{"not_communicated", "not_communicated"}));
}

TEST(Communication, WhatSetUpAgreesOnIsNoData) {
  Traffic large = moved({{0, 1}}, Carrier::Host, 64 * 1000);
  EXPECT_EQ(kinds(check_communication(large, moved({{0, 1}}, Carrier::Host, 999))), Kinds{"not_communicated"});
  EXPECT_TRUE(check_communication(large, moved({{0, 1}}, Carrier::Host, 1000)).empty());
}

TEST(Communication, FewBytesAreDataWhereTheBaselineHasNoMore) {
  Traffic small = moved({{0, 1}}, Carrier::Host, 8);
  EXPECT_TRUE(check_communication(small, moved({{0, 1}}, Carrier::Lsa, 8)).empty());
}

TEST(Communication, RingPassesDataOn) {
  EXPECT_TRUE(check_communication(gathered(3), moved({{0, 1}, {1, 2}, {2, 0}}, Carrier::Gin, 4000)).empty());
}

TEST(Communication, RankThatIsLeftOutOfTheRingIsFound) {
  std::vector<Finding> findings = check_communication(gathered(3), moved({{0, 1}, {1, 0}}, Carrier::Gin, 4000));
  EXPECT_EQ(kinds(findings), (Kinds{"not_communicated", "not_communicated", "not_communicated"}));
}

TEST(Communication, BytesByMpiAreAWayAround) {
  EXPECT_EQ(kinds(check_communication(gathered(2), moved({{0, 1}, {1, 0}}, Carrier::Mpi, 2000))),
            (Kinds{"host_channel", "host_channel", "not_communicated", "not_communicated"}));
}

TEST(Communication, SetUpAndWhatTheBaselineDoesByMpiPass) {
  Traffic baseline = gathered(2), candidate = gathered(2);
  baseline.transfers.push_back({0, 1, Carrier::Mpi, "MPI_Send", "a.cu:7", 5000});
  candidate.transfers.push_back({0, 1, Carrier::Mpi, "MPI_Send", "a.cu:9", 5000 + kSetupBytesMax});
  EXPECT_TRUE(check_communication(baseline, candidate).empty());
  candidate.transfers.back().bytes++;
  EXPECT_EQ(kinds(check_communication(baseline, candidate)), Kinds{"host_channel"});
}

TEST(Communication, MoreCallsMayMoveMore) {
  Traffic baseline = moved({{0, 1}}, Carrier::Mpi, 1000), candidate = moved({{0, 1}}, Carrier::Mpi, 3000);
  EXPECT_EQ(kinds(check_communication(baseline, candidate)), Kinds{"host_channel"});
  candidate.calls = 3 * baseline.calls;
  EXPECT_TRUE(check_communication(baseline, candidate).empty());
}

}  // namespace
}  // namespace cuco::evaluate
