#include "footprint/byte_ranges.h"

#include <gtest/gtest.h>

namespace cuco::footprint {

namespace {

TEST(ByteRanges, NormalisedJoinsWhatTouches) {
  EXPECT_EQ(normalised({{8, 12}, {0, 4}, {4, 6}, {20, 20}}), (ByteRanges{{0, 6}, {8, 12}}));
}

TEST(ByteRanges, DifferenceLeavesWhatTheSecondLacks) {
  EXPECT_EQ(difference({{0, 10}, {20, 30}}, {{2, 4}, {8, 22}, {29, 40}}), (ByteRanges{{0, 2}, {4, 8}, {22, 29}}));
  EXPECT_EQ(difference({{0, 4}}, {}), (ByteRanges{{0, 4}}));
}

TEST(ByteRanges, IntersectionIsWhatBothHold) {
  EXPECT_EQ(intersection({{0, 10}, {20, 30}}, {{5, 25}}), (ByteRanges{{5, 10}, {20, 25}}));
}

TEST(ByteRanges, SharedAreBytesOfTwoSets) {
  ByteRanges a = {{0, 10}}, b = {{8, 20}}, c = {{9, 12}, {30, 40}};
  EXPECT_EQ(shared_bytes({&a, &b, &c}), (ByteRanges{{8, 12}}));
  EXPECT_EQ(shared_bytes({&a}), ByteRanges{});
}

TEST(ByteRanges, OfABlockArePiecesWhereTheFootprintIsOnlyBounds) {
  model::TracedBlock block;
  block.footprints = {{3, true, 0, 20, 20, 1, false}, {4, true, 0, 8, 8, 1, false}};
  block.pieces = {{3, true, 0, 4, 4, 1, true}, {3, true, 16, 4, 4, 1, true}};
  EXPECT_EQ(bytes_of(block, 3, true), (ByteRanges{{0, 4}, {16, 20}}));
  EXPECT_EQ(bytes_of(block, 4, true), std::nullopt);
  EXPECT_EQ(bytes_of(block, 3, false), ByteRanges{});
}

TEST(ByteRanges, ProgressionsHaveOneSizeAndDistance) {
  std::vector<Progression> all = progressions_of({{0, 4}, {8, 12}, {16, 20}, {100, 104}, {200, 216}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].count, 3u);
  EXPECT_EQ(all[0].stride, 8u);
  EXPECT_EQ(all[1].first, (ByteRange{100, 104}));
  EXPECT_EQ(all[2].first, (ByteRange{200, 216}));
}

}  // namespace

}  // namespace cuco::footprint
