#include "vcluster/input_keys.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

// The reference vector of SipHash-2-4 for the eight bytes 0 ... 7 and the key 0 ... 15.
TEST(InputKeys, BaseOfABufferIsSipHash) {
  RankKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(draw_detail::base_of({key, 0x07060504, 0x03020100}), 0x93f5f5799a932462u);
}

TEST(InputKeys, RanksOfARunAndRunsOfARankDiffer) {
  RankKey first = rank_key_of("key", 0), second = rank_key_of("key", 1), other = rank_key_of("other", 0);
  EXPECT_NE(first.low, second.low);
  EXPECT_NE(first.high, second.high);
  EXPECT_NE(first.low, other.low);
  EXPECT_EQ(first.low, rank_key_of("key", 0).low);
}

TEST(InputKeys, PurposesDiffer) { EXPECT_NE(keyed_seed("key", "rand 1"), keyed_seed("key", "rand 2")); }

}  // namespace
}  // namespace cuco::vcluster
