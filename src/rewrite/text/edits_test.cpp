#include "rewrite/text/edits.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

const std::vector<Source> kSources = {{"a.cu", "one two three"}};

std::string applied(const Edits& edits) { return edits.apply(kSources).value()[0].text; }

TEST(Edits, AppliesInTheOrderOfTheText) {
  Edits edits;
  edits.replace(0, 8, 13, "3");
  edits.replace(0, 0, 3, "1");
  EXPECT_EQ(applied(edits), "1 two 3");
}

TEST(Edits, InsertsBeforeWhatIsReplacedAtTheSamePlace) {
  Edits edits;
  edits.replace(0, 4, 7, "2");
  edits.insert(0, 4, "(");
  EXPECT_EQ(applied(edits), "one (2 three");
}

TEST(Edits, MakesAChangeOnceThatSeveralCallPathsAskFor) {
  Edits edits;
  edits.insert(0, 4, "x");
  edits.insert(0, 4, "x");
  EXPECT_EQ(applied(edits), "one xtwo three");
}

TEST(Edits, RefusesTwoChangesOfTheSameText) {
  Edits edits;
  edits.replace(0, 0, 7, "a");
  edits.replace(0, 4, 7, "b");
  EXPECT_EQ(edits.apply(kSources).error().message,
            "a.cu:1: error: two changes want the same text; write the two calls as separate statements");
}

TEST(Edits, KnowsTheFirstByteOfEachFile) {
  Edits edits;
  edits.insert(0, 8, "x");
  edits.insert(0, 4, "x");
  EXPECT_EQ(edits.first_byte(0), 4u);
  EXPECT_TRUE(edits.touches(0));
  EXPECT_FALSE(edits.touches(1));
}

}  // namespace
}  // namespace cuco::rewrite
