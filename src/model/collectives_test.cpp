#include "model/collectives.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

constexpr int kRoot = 1, kRanks = 4;

TEST(Collectives, RowsStandInTheOrderOfTheKinds) {
  for (const CollectiveTraits& row : all_collectives()) EXPECT_EQ(traits_of(row.collective).callee, row.callee);
  EXPECT_EQ(all_collectives().size(), static_cast<size_t>(Collective::Recv) + 1);
}

TEST(Collectives, AreFoundByTheirCallee) {
  for (const CollectiveTraits& row : all_collectives()) EXPECT_EQ(collective_named(row.callee), row.collective);
  EXPECT_EQ(collective_named("ncclBcast"), Collective::Broadcast);
  EXPECT_FALSE(collective_named("ncclGroupStart"));
}

TEST(Collectives, BuffersHaveAMessageForAllOrForEachRank) {
  EXPECT_EQ(messages_sent(Collective::AllGather, 0, -1, kRanks), 1u);
  EXPECT_EQ(messages_received(Collective::AllGather, 0, -1, kRanks), 4u);
  EXPECT_EQ(messages_sent(Collective::ReduceScatter, 0, -1, kRanks), 4u);
  EXPECT_EQ(messages_received(Collective::ReduceScatter, 0, -1, kRanks), 1u);
  EXPECT_EQ(messages_sent(Collective::AlltoAll, 3, -1, kRanks), 4u);
  EXPECT_EQ(messages_received(Collective::AlltoAll, 3, -1, kRanks), 4u);
}

TEST(Collectives, OnlyTheRootSendsScattersAndReceivesGathers) {
  EXPECT_EQ(messages_sent(Collective::Scatter, kRoot, kRoot, kRanks), 4u);
  EXPECT_EQ(messages_sent(Collective::Scatter, 0, kRoot, kRanks), 0u);
  EXPECT_EQ(messages_received(Collective::Gather, kRoot, kRoot, kRanks), 4u);
  EXPECT_EQ(messages_received(Collective::Gather, 0, kRoot, kRanks), 0u);
  EXPECT_EQ(messages_received(Collective::Reduce, 0, kRoot, kRanks), 0u);
}

TEST(Collectives, RanksHearWhomTheyReceiveFrom) {
  EXPECT_TRUE(hears(Collective::AllReduce, 0, 3, -1));
  EXPECT_TRUE(hears(Collective::Broadcast, 0, kRoot, kRoot));
  EXPECT_FALSE(hears(Collective::Broadcast, 0, 3, kRoot));
  EXPECT_TRUE(hears(Collective::Reduce, kRoot, 3, kRoot));
  EXPECT_FALSE(hears(Collective::Reduce, 0, 3, kRoot));
}

TEST(Collectives, ReceivedMessagesSayWhatTheyAreMadeOf) {
  auto summed = messages_for(Collective::ReduceScatter, 2, -1, kRanks);
  ASSERT_EQ(summed.size(), 1u);
  EXPECT_EQ(summed[0].from, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(summed[0].message, 2u);
  auto exchanged = messages_for(Collective::AlltoAll, 2, -1, kRanks);
  ASSERT_EQ(exchanged.size(), 4u);
  EXPECT_EQ(exchanged[3].from, (std::vector<size_t>{3}));
  EXPECT_EQ(exchanged[3].message, 2u);
  auto scattered = messages_for(Collective::Scatter, 2, kRoot, kRanks);
  ASSERT_EQ(scattered.size(), 1u);
  EXPECT_EQ(scattered[0].from, (std::vector<size_t>{kRoot}));
  EXPECT_EQ(scattered[0].message, 2u);
  EXPECT_TRUE(messages_for(Collective::Gather, 2, kRoot, kRanks).empty());
}

}  // namespace
}  // namespace cuco::model
