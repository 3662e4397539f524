#include "evaluate/text/code_text.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

TEST(CodeText, CommentsAndLiteralsBecomeBlanks) {
  EXPECT_EQ(without_comments("a // {\nb"), "a     \nb");
  EXPECT_EQ(without_comments("a /* {\n} */ b"), "a     \n     b");
  EXPECT_EQ(without_comments(R"(f("}\"{", '{');)"), "f(      ,    );");
  EXPECT_EQ(without_comments("R\"x(\"}\")x\" c"), "R          c");
}

TEST(CodeText, DigitSeparatorsAndOpenEndsHideNothing) {
  EXPECT_EQ(without_comments("1'000; }"), "1 000; }");
  EXPECT_EQ(without_comments("\"open\n}"), " open\n}");
  EXPECT_EQ(without_comments("/* open }"), "         ");
}

TEST(CodeText, BalanceFollowsBraces) {
  EXPECT_TRUE(is_balanced("a { b { } } {}"));
  EXPECT_FALSE(is_balanced("} {"));
  EXPECT_FALSE(is_balanced("{"));
}

TEST(CodeText, WordsAreWhole) {
  EXPECT_EQ(find_word("returned = my_return; return;", "return"), 22u);
  EXPECT_EQ(find_word("returned", "return"), std::string_view::npos);
}

TEST(CodeText, AssignmentSwapAndAddressRebind) {
  EXPECT_TRUE(may_rebind("f(); out = in;", "out"));
  EXPECT_TRUE(may_rebind("std::swap(in, out);", "out"));
  EXPECT_TRUE(may_rebind("cudaMalloc(&out, 4);", "out"));
}

TEST(CodeText, UseDoesNotRebind) {
  EXPECT_FALSE(may_rebind("if (out == in) k<<<1, 1>>>(out, in);", "out"));
  EXPECT_FALSE(may_rebind("x = out; layout = 3; a && out;", "out"));
  EXPECT_FALSE(may_rebind("*out = 3;", "out"));
}

TEST(CodeText, NamesTheVariableThatACallFills) {
  EXPECT_EQ(filled_by("MPI_Comm_rank(MPI_COMM_WORLD, & rank );", "MPI_Comm_rank"), "rank");
  EXPECT_EQ(filled_by("MPI_Comm_rank(MPI_COMM_WORLD, pointer);", "MPI_Comm_rank"), "");
  EXPECT_EQ(filled_by("", "MPI_Comm_rank"), "");
  EXPECT_EQ(filled_by("MPI_Comm_rank(MPI_COMM_WORLD, &node->place.rank);", "MPI_Comm_rank"), "node->place.rank");
}

TEST(CodeText, RankOfAnotherCommunicatorIsNotTheRank) {
  EXPECT_EQ(filled_by("MPI_Comm_rank(local, &device); MPI_Comm_rank(MPI_COMM_WORLD, &rank);", "MPI_Comm_rank"), "rank");
}

}  // namespace
}  // namespace cuco::evaluate
