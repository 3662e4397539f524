#include "footprint/form.h"

#include <gtest/gtest.h>

#include <functional>

#include "footprint/form_text.h"

namespace cuco::footprint {

namespace {

struct Launches {
  uint32_t width = 1, height = 1, ranks = 1, rounds = 1;
};

std::vector<Sample> samples_of(const Launches& launches, const std::function<ByteRanges(const Toucher&)>& bytes) {
  std::vector<Sample> samples;
  for (uint32_t rank = 0; rank < launches.ranks; rank++)
    for (uint32_t round = 0; round < launches.rounds; round++)
      for (uint32_t y = 0; y < launches.height; y++)
        for (uint32_t x = 0; x < launches.width; x++) {
          Toucher toucher{{x, y, 0}, uint64_t{y} * launches.width + x, rank, round};
          samples.push_back({toucher, normalised(bytes(toucher))});
        }
  return samples;
}

Samples pointers_to(const std::vector<Sample>& samples) {
  Samples pointers;
  for (const Sample& sample : samples) pointers.push_back(&sample);
  return pointers;
}

// "none" when there is no form.
std::string folded_text(const std::vector<Sample>& samples) {
  Folded folded = fold(pointers_to(samples));
  if (!folded.form) return "none";
  EXPECT_TRUE(is_exact(*folded.form, pointers_to(samples)));
  return to_text(general(*folded.form), {}, 1);
}

ByteRanges rows(uint64_t begin, uint64_t bytes, uint64_t pitch, uint64_t count) {
  ByteRanges ranges;
  for (uint64_t i = 0; i < count; i++) ranges.push_back({begin + i * pitch, begin + i * pitch + bytes});
  return ranges;
}

TEST(Form, OfContiguousPartsIsOneRange) {
  EXPECT_EQ(folded_text(samples_of({4}, [](const Toucher& t) { return rows(64 * t.block[0], 64, 64, 1); })),
            "bytes [64*bx, 64*bx+64)");
}

TEST(Form, OfTilesHasRowsAndColumns) {
  auto tile = [](const Toucher& t) { return rows(t.block[1] * 4 * 256 + t.block[0] * 32, 32, 256, 4); };
  EXPECT_EQ(folded_text(samples_of({8, 3}, tile)),
            "rows [4*by, 4*by+4) x columns [32*bx, 32*bx+32) of a row of 256 bytes");
}

TEST(Form, OfTilesInARowOfBlocksHasQuotientAndRemainder) {
  auto tile = [](const Toucher& t) { return rows(t.linear / 8 * 4 * 256 + t.linear % 8 * 32, 32, 256, 4); };
  EXPECT_EQ(folded_text(samples_of({24}, tile)),
            "rows [4*(b/8), 4*(b/8)+4) x columns [32*(b%8), 32*(b%8)+32) of a row of 256 bytes");
}

TEST(Form, CutsTilesAtTheEdges) {
  auto tile = [](const Toucher& t) {
    return rows(t.block[1] * 4 * 100 + t.block[0] * 32, std::min(32u, 100 - t.block[0] * 32), 100,
                std::min(4u, 10 - t.block[1] * 4));
  };
  EXPECT_EQ(folded_text(samples_of({4, 3}, tile)),
            "rows [4*by, min(4*by+4, 10)) x columns [32*bx, min(32*bx+32, 100)) of a row of 100 bytes");
}

TEST(Form, BlocksBeyondTheEndTouchNothing) {
  auto part = [](const Toucher& t) {
    return ByteRanges{{std::min(64u * t.block[0], 150u), std::min(64u * t.block[0] + 64, 150u)}};
  };
  EXPECT_EQ(folded_text(samples_of({5}, part)), "bytes [64*bx, min(64*bx+64, 150))");
}

TEST(Form, OfAGridStrideIsCutByALimit) {
  auto strided = [](const Toucher& t) {
    ByteRanges ranges;
    for (uint64_t at = 32 * t.block[0]; at < 300; at += 128) ranges.push_back({at, std::min<uint64_t>(at + 32, 300)});
    return ranges;
  };
  EXPECT_EQ(folded_text(samples_of({4}, strided)),
            "rows from 0 on x columns [32*bx, 32*bx+32) of a row of 128 bytes, below 300");
}

TEST(Form, OfARingIsModular) {
  auto part = [](const Toucher& t) { return rows((t.rank + 4 - t.round) % 4 * 64, 64, 64, 1); };
  EXPECT_EQ(folded_text(samples_of({1, 1, 4, 4}, part)), "bytes [64*((rank-round)%4), 64*((rank-round)%4)+64)");
}

TEST(Form, OfSeveralPiecesHasABoxForEach) {
  auto pieces = [](const Toucher& t) {
    return ByteRanges{{16 * t.block[0], 16 * t.block[0] + 8}, {1000 + 4 * t.block[0], 1004 + 4 * t.block[0]}};
  };
  EXPECT_EQ(folded_text(samples_of({6}, pieces)), "bytes [16*bx, 16*bx+8) and bytes [4*bx+1000, 4*bx+1004)");
}

TEST(Form, IsNotGivenWhenOneBlockDiffers) {
  auto part = [](const Toucher& t) { return rows(64 * t.block[0], t.block[0] == 5 ? 60 : 64, 64, 1); };
  EXPECT_EQ(folded_text(samples_of({8}, part)), "none");
}

TEST(Form, IsNotGivenForMixedBits) {
  auto part = [](const Toucher& t) { return rows(64 * (t.block[0] ^ t.block[0] >> 1), 64, 64, 1); };
  EXPECT_EQ(folded_text(samples_of({16}, part)), "none");
}

}  // namespace

}  // namespace cuco::footprint
