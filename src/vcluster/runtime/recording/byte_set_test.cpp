#include "vcluster/runtime/recording/byte_set.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {

namespace {

model::Footprint footprint(uint64_t begin, uint64_t piece_bytes, uint64_t stride, uint64_t count, bool exact) {
  return {0, false, begin, piece_bytes, stride, count, exact};
}

using Pieces = std::vector<model::Footprint>;

TEST(ByteSet, RangesThatTouchAreOne) {
  ByteSet bytes;
  bytes.add(8, 12);
  bytes.add(0, 4);
  bytes.add(4, 8);
  bytes.add(2, 6);
  EXPECT_EQ(bytes.footprint(), footprint(0, 12, 12, 1, true));
}

TEST(ByteSet, EqualPiecesAtEqualDistancesAreRows) {
  ByteSet bytes;
  for (uint64_t row : {2, 0, 1})
    for (uint64_t column : {1, 0}) bytes.add(100 + row * 64 + column * 4, 104 + row * 64 + column * 4);
  EXPECT_EQ(bytes.footprint(), footprint(100, 8, 64, 3, true));
}

TEST(ByteSet, UnevenPiecesAreTheirBounds) {
  ByteSet bytes;
  bytes.add(0, 4);
  bytes.add(8, 16);
  EXPECT_EQ(bytes.footprint(), footprint(0, 16, 16, 1, false));
}

TEST(ByteSet, PiecesAreExactWhateverTheirDistances) {
  ByteSet bytes;
  for (uint64_t begin : {0, 8, 16, 100, 200, 300}) bytes.add(begin, begin + 4);
  bytes.add(400, 408);
  EXPECT_EQ(bytes.pieces(),
            (Pieces{footprint(0, 4, 8, 3, true), footprint(100, 4, 100, 3, true), footprint(400, 8, 8, 1, true)}));
}

TEST(ByteSet, TooManyHolesAreForgotten) {
  ByteSet bytes;
  for (uint64_t i = 0; i < 20000; i++) bytes.add(i * 8, i * 8 + 4);
  EXPECT_EQ(bytes.footprint(), footprint(0, 159996, 159996, 1, false));
  EXPECT_EQ(bytes.pieces(), Pieces{});
}

}  // namespace

}  // namespace cuco::vcluster
