#include "model/symbolic.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

Symbolic c(int64_t value) { return Symbolic::constant(value); }
Symbolic u(const char* name, uint32_t version = 0) { return Symbolic::unknown(name, version); }

TEST(Symbolic, SumsCollectEqualTerms) {
  EXPECT_EQ(u("n") + u("n"), c(2) * u("n"));
  EXPECT_EQ((u("n") + c(1)) - (u("n") + c(1)), Symbolic());
}

TEST(Symbolic, ProductsDistributeAndCommute) {
  EXPECT_EQ((u("a") + c(1)) * (u("b") + c(2)), u("b") * u("a") + c(2) * u("a") + u("b") + c(2));
}

TEST(Symbolic, ConstantsAreRecognised) {
  EXPECT_EQ((c(6) * c(7)).as_constant(), 42);
  EXPECT_EQ(Symbolic().as_constant(), 0);
  EXPECT_EQ((u("n") - u("n")).as_constant(), 0);
  EXPECT_EQ(u("n").as_constant(), std::nullopt);
}

TEST(Symbolic, DivisionIsExactOrAnUnknown) {
  EXPECT_EQ(c(7).divided_by(c(2)), c(3));
  EXPECT_EQ((c(8) * u("n") + c(4)).divided_by(c(4)), c(2) * u("n") + c(1));
  EXPECT_EQ((u("n") + c(1)).divided_by(c(2)), u("(n + 1) / 2"));
  EXPECT_EQ(u("n").divided_by(c(0)).as_constant(), std::nullopt);
  EXPECT_EQ(c(1).divided_by(c(0)).as_constant(), std::nullopt);
}

TEST(Symbolic, ModuloIsExactForConstantsOnly) {
  EXPECT_EQ(c(7).modulo(c(4)), c(3));
  EXPECT_EQ((u("rank") + c(1)).modulo(u("size")).to_text(), "(rank + 1) % size");
  EXPECT_EQ(c(7).modulo(c(0)).as_constant(), std::nullopt);
}

TEST(Symbolic, EqualExpressionsGiveEqualUnknowns) {
  EXPECT_EQ(u("n").divided_by(c(3)), u("n").divided_by(c(3)));
  EXPECT_NE(u("n").divided_by(c(3)), u("n").divided_by(c(5)));
}

TEST(Symbolic, VersionsTellValuesOfOneVariableApart) {
  EXPECT_NE(u("n", 0), u("n", 1));
  EXPECT_EQ(u("n", 1).to_text(), "n");
}

TEST(Symbolic, MentionsWholeUnknowns) {
  EXPECT_TRUE((c(4) * u("i") * u("n")).mentions("i"));
  EXPECT_FALSE((c(4) * u("chunk_i")).mentions("i"));
}

TEST(Symbolic, TextReadsLikeSource) {
  EXPECT_EQ(Symbolic().to_text(), "0");
  EXPECT_EQ(c(-3).to_text(), "-3");
  EXPECT_EQ((c(4) * u("n") - u("m")).to_text(), "-m + 4*n");
  EXPECT_EQ((u("n") * u("n")).to_text(), "n*n");
  EXPECT_EQ((c(4) * (u("n") + c(1)).divided_by(c(2))).to_text(), "4*((n + 1) / 2)");
}

TEST(MayOverlap, ConstantRangesMeetOnlyWhenTheyShareAByte) {
  EXPECT_TRUE(may_overlap(c(0), c(5), c(4), c(4)));
  EXPECT_FALSE(may_overlap(c(0), c(4), c(4), c(4)));
  EXPECT_FALSE(may_overlap(c(4), c(4), c(0), c(4)));
}

TEST(MayOverlap, NeighbouringSlicesOfAnUnknownSizeDoNotMeet) {
  Symbolic n = u("n");
  EXPECT_FALSE(may_overlap(c(2) * n, n, c(3) * n, n));
  EXPECT_TRUE(may_overlap(c(2) * n, n + c(1), c(3) * n, n));
}

TEST(MayOverlap, SlicesFartherApartDoNotMeetBecauseSizesAreNotNegative) {
  Symbolic n = u("n");
  EXPECT_FALSE(may_overlap(Symbolic(), n, c(2) * n, n));
  EXPECT_FALSE(may_overlap(c(2) * n + u("m"), n, Symbolic(), n));
}

TEST(MayOverlap, UnrelatedOffsetsMayMeet) {
  EXPECT_TRUE(may_overlap(u("a"), c(4), u("b"), c(4)));
  EXPECT_TRUE(may_overlap(c(0), u("n"), c(4), c(4)));
}

TEST(MayOverlap, ValuesOfOneVariableAtDifferentTimesAreUnrelated) {
  EXPECT_TRUE(may_overlap(u("at", 0), c(4), u("at", 1) + c(4), c(4)));
  EXPECT_FALSE(may_overlap(u("at", 1), c(4), u("at", 1) + c(4), c(4)));
}

TEST(MayOverlap, EmptyRangesMeetNothing) { EXPECT_FALSE(may_overlap(c(0), c(0), c(0), c(8))); }

}  // namespace
}  // namespace cuco::model
