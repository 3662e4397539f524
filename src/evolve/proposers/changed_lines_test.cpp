#include "evolve/proposers/changed_lines.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::evolve {
namespace {

std::string shown(const std::string& before, const std::string& after) {
  return join(changed_lines(before, after).shown, "|");
}

TEST(ChangedLines, EqualTextsShowNothing) {
  EXPECT_EQ(changed_lines("a\nb\n", "a\nb\n").count, 0u);
  EXPECT_EQ(shown("a\nb\n", "a\nb\n"), "");
}

TEST(ChangedLines, RunsAreShownWithTheirPlace) {
  EXPECT_EQ(shown("a\nb\nc\nd\ne\n", "a\nx\nc\nd\n"), "@ line 2|- b|+ x|@ line 5|- e");
  EXPECT_EQ(changed_lines("a\nb\nc\nd\ne\n", "a\nx\nc\nd\n").count, 3u);
}

TEST(ChangedLines, LinesAreAddedToAnEmptyText) { EXPECT_EQ(shown("", "a\nb\n"), "@ line 1|+ a|+ b"); }

TEST(ChangedLines, WhatMovedLeavesTheRestAligned) {
  EXPECT_EQ(shown("put\nwork\nwait\n", "work\nput\nwait\n"), "@ line 1|- put|@ line 3|+ put");
}

TEST(ChangedLines, TextsTooLongToAlignDifferAsOneRun) {
  std::string before, after;
  for (int i = 0; i < 2'500; ++i) {
    before += concat("b", i, "\nsame\n");
    after += concat("a", i, "\nsame\n");
  }
  ChangedLines changes = changed_lines(before, after);
  EXPECT_EQ(changes.count, 2 * (2 * 2'500u - 1));
  EXPECT_EQ(changes.shown.size(), changes.count + 1);
}

}  // namespace
}  // namespace cuco::evolve
