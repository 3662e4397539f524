#include "lowering/edits.h"

#include <gtest/gtest.h>

namespace cuco::lowering {
namespace {

std::string applied(const TextEdits& edits, std::string_view text) { return edits.apply(text, 0, text.size()); }

TEST(TextEdits, ClosesInnerWrapsFirst) {
  TextEdits edits;
  edits.wrap(0, 3, "outer(", ")");
  edits.wrap(0, 3, "inner<", ">");
  EXPECT_EQ(applied(edits, "abc;"), "outer(inner<abc>);");
}

TEST(TextEdits, ClosesOneRangeBeforeItOpensTheNext) {
  TextEdits edits;
  edits.wrap(0, 1, "(", ")");
  edits.wrap(1, 2, "[", "]");
  EXPECT_EQ(applied(edits, "ab"), "(a)[b]");
}

TEST(TextEdits, DropsEditsInsideAReplacedRange) {
  TextEdits edits;
  edits.wrap(1, 2, "(", ")");
  edits.replace(0, 3, "x");
  EXPECT_EQ(applied(edits, "abcd"), "xd");
}

TEST(TextEdits, MakesTheSameEditOnce) {
  TextEdits edits;
  edits.wrap(0, 1, "shared(", ")");
  edits.wrap(0, 1, "shared(", ")");
  EXPECT_EQ(applied(edits, "a"), "shared(a)");
}

TEST(TextEdits, AppliesToAPartOfTheText) {
  TextEdits edits;
  edits.wrap(0, 1, "<", ">");
  edits.wrap(2, 3, "(", ")");
  EXPECT_EQ(edits.apply("a b c", 2, 5), "(b) c");
}

}  // namespace
}  // namespace cuco::lowering
