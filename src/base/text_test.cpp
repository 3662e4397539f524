#include "base/text.h"

#include <gtest/gtest.h>

namespace cuco {
namespace {

using Strings = std::vector<std::string>;

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Strings{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Strings{""}));
}

TEST(Text, JoinUndoesSplit) {
  EXPECT_EQ(join(split("one:two::four", ':'), ":"), "one:two::four");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, TrimRemovesBlanksAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, ReplaceAllDoesNotLookInsideWhatItPutIn) { EXPECT_EQ(replace_all("aXa", "a", "aa"), "aaXaa"); }

TEST(Text, CountedUsesTheSingularForOneOnly) {
  EXPECT_EQ(counted(0, "site"), "0 sites");
  EXPECT_EQ(counted(1, "site"), "1 site");
  EXPECT_EQ(counted(2, "copy", "copies"), "2 copies");
}

TEST(Text, SqueezeMakesOneLine) {
  EXPECT_EQ(squeeze("  a\n\t b  c "), "a b c");
  EXPECT_EQ(squeeze(" \n "), "");
}

TEST(Text, ClosestFindsTypingErrors) {
  Strings names = {"analyze", "space", "doctor", "profiles"};
  EXPECT_EQ(closest("analyse", names), "analyze");
  EXPECT_EQ(closest("docter", names), "doctor");
}

TEST(Text, ClosestIsEmptyWhenNothingIsNear) {
  EXPECT_EQ(closest("zebra", {"analyze", "doctor"}), "");
  EXPECT_EQ(closest("analyze", {}), "");
}

TEST(Words, ArePartedByWhiteSpace) {
  EXPECT_EQ(words_of(" one\ttwo\n"), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(words_of(" "), std::vector<std::string>());
  EXPECT_EQ(without_blanks(" one\ttwo\n"), "onetwo");
}

TEST(Wrapped, BreaksAtBlanks) {
  std::vector<std::string> lines = {"one", "two three", "four"};
  EXPECT_EQ(wrapped("one two  three four", 9, 6), lines);
  EXPECT_EQ(wrapped("", 9, 9), std::vector<std::string>{""});
}

TEST(Wrapped, GivesALongWordALineOfItsOwn) {
  std::vector<std::string> lines = {"a", "configuration", "b"};
  EXPECT_EQ(wrapped("a configuration b", 5, 5), lines);
}

}  // namespace
}  // namespace cuco
