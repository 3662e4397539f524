#include "vcluster/runtime/gpu/sampling.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace cuco::vcluster {
namespace {

BlockWork work_of(uint64_t operations) {
  BlockWork work;
  work.counters[FpOperations] = operations;
  work.waits = operations / 10;
  return work;
}

TEST(SampledOrder, BeginsInEveryEighthOfTheGridAndLeavesNoBlockOut) {
  SampledOrder order(100, 7);
  std::set<uint64_t> blocks;
  for (uint64_t position = 0; position < 100; position++) blocks.insert(order.block_at(position));
  EXPECT_EQ(blocks.size(), 100u);
  EXPECT_EQ(*blocks.rbegin(), 99u);
  for (uint64_t i = 0; i < BlockSample::kBlocks; i++) EXPECT_EQ(order.block_at(i) * 8 / 100, i);
  EXPECT_EQ(SampledOrder(5, 7).block_at(3), 3u);
}

TEST(SampledOrder, IsDrawn) {
  auto first = [](uint64_t seed) {
    std::vector<uint64_t> blocks;
    for (uint64_t i = 0; i < BlockSample::kBlocks; i++) blocks.push_back(SampledOrder(1000, seed).block_at(i));
    return blocks;
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

TEST(BlockSample, EstimatesTheMeanWhereThereIsNoTrend) {
  BlockSample sample;
  for (uint64_t i = 0; i < BlockSample::kBlocks; i++) sample.add(10 * i, work_of(i % 2 == 0 ? 100 : 300));
  EXPECT_TRUE(sample.is_complete());
  EXPECT_EQ(sample.estimate(5).counters[FpOperations], 200u);
  EXPECT_EQ(sample.estimate(5).waits, 20u);
}

TEST(BlockSample, FollowsATrend) {
  BlockSample sample;
  for (uint64_t i = BlockSample::kBlocks; i > 0; i--) sample.add(10 * i, work_of(100 * i));
  EXPECT_EQ(sample.estimate(15).counters[FpOperations], 150u);
  EXPECT_EQ(sample.estimate(15).waits, 15u);
  EXPECT_EQ(sample.estimate(3).counters[FpOperations], 100u);
  EXPECT_EQ(sample.estimate(999).counters[FpOperations], 800u);
}

TEST(BlockSample, IsNotCompleteWithFewerBlocks) {
  BlockSample sample;
  sample.add(0, work_of(1));
  EXPECT_FALSE(sample.is_complete());
}

TEST(CallSample, HasSamplesOfItsOwnForLaterRounds) {
  CallSample sample(100);
  for (uint64_t block = 0; block < BlockSample::kBlocks; block++) sample.add(0, block, work_of(100));
  EXPECT_TRUE(sample.is_complete(0));
  EXPECT_FALSE(sample.is_complete(1));
  for (uint64_t block = 0; block < BlockSample::kBlocks; block++) sample.add(2, block, work_of(300));
  EXPECT_TRUE(sample.is_complete(3));
  EXPECT_FALSE(sample.is_complete(4));
  EXPECT_EQ(sample.estimate(0, 50).counters[FpOperations], 100u);
  EXPECT_EQ(sample.estimate(3, 50).counters[FpOperations], 300u);
}

TEST(CallSample, FollowsATrendOverTheBlocks) {
  CallSample sample(100);
  for (uint64_t i = 0; i < BlockSample::kBlocks; i++) sample.add(0, 10 * i, work_of(100 * i));
  EXPECT_EQ(sample.estimate(0, 35).counters[FpOperations], 350u);
}

}  // namespace
}  // namespace cuco::vcluster
