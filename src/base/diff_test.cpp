#include "base/diff.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"

namespace cuco {
namespace {

using Lines = std::vector<std::string_view>;

TEST(Diff, EqualTextsHaveNone) {
  EXPECT_TRUE(diff_lines({"a", "b"}, {"a", "b"}).empty());
  EXPECT_EQ(unified_diff({"a", "x\n"}, {"b", "x\n"}), "");
  EXPECT_EQ(unified_diff({"a", ""}, {"b", ""}), "");
}

TEST(Diff, ReplacesDeletesAndInserts) {
  std::vector<LineChange> expected = {{0, 1, 0, 0}, {2, 1, 1, 1}, {4, 0, 3, 2}};
  EXPECT_EQ(diff_lines({"a", "b", "c", "d"}, {"b", "x", "d", "y", "z"}), expected);
}

TEST(Diff, WritesHunksWithContext) {
  std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  std::string after = "1\n2\n3\n4\n5 changed\n6\n7\n8\n9\n10\n11\n12\n13\n";
  EXPECT_EQ(unified_diff({"a.cu", before}, {"b.cu", after}, 2),
            "--- a.cu\n+++ b.cu\n"
            "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+5 changed\n 6\n 7\n"
            "@@ -11,2 +11,3 @@\n 11\n 12\n+13\n");
}

TEST(Diff, JoinsHunksWhoseContextMeets) {
  EXPECT_EQ(unified_diff({"a", "1\n2\n3\n4\n"}, {"b", "x\n2\n3\ny\n"}, 1),
            "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n-4\n+y\n");
}

TEST(Diff, NamesEmptyRangesByTheLineBefore) {
  EXPECT_EQ(unified_diff({"a", ""}, {"b", "1\n"}), "--- a\n+++ b\n@@ -0,0 +1 @@\n+1\n");
  EXPECT_EQ(unified_diff({"a", "1\n2\n"}, {"b", ""}), "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-1\n-2\n");
}

TEST(Diff, SaysWhereTheLastLineHasNoEnd) {
  EXPECT_EQ(unified_diff({"a", "x"}, {"b", "x\n"}),
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
}

Lines applied(const Lines& before, const Lines& after, const std::vector<LineChange>& changes) {
  Lines result;
  size_t at = 0;
  for (const LineChange& change : changes) {
    result.insert(result.end(), before.begin() + at, before.begin() + change.before_begin);
    auto begin = after.begin() + change.after_begin;
    result.insert(result.end(), begin, begin + change.after_count);
    at = change.before_begin + change.before_count;
  }
  result.insert(result.end(), before.begin() + at, before.end());
  return result;
}

size_t edit_count(const std::vector<LineChange>& changes) {
  size_t count = 0;
  for (const LineChange& change : changes) count += change.before_count + change.after_count;
  return count;
}

size_t fewest_edits(const Lines& before, const Lines& after) {
  std::vector<std::vector<size_t>> common(before.size() + 1, std::vector<size_t>(after.size() + 1));
  for (size_t i = 0; i < before.size(); ++i)
    for (size_t j = 0; j < after.size(); ++j)
      common[i + 1][j + 1] = before[i] == after[j] ? common[i][j] + 1 : std::max(common[i][j + 1], common[i + 1][j]);
  return before.size() + after.size() - 2 * common.back().back();
}

Lines random_lines(Random& random, uint64_t letters) {
  static const std::string kLetters = "abcdefgh";
  Lines lines;
  for (uint64_t i = random.below(25); i > 0; --i)
    lines.push_back(std::string_view(kLetters).substr(random.below(letters), 1));
  return lines;
}

TEST(Diff, IsRightAndShortestForRandomTexts) {
  Random random(3);
  for (int round = 0; round < 5000; ++round) {
    uint64_t letters = 1 + random.below(8);
    Lines before = random_lines(random, letters), after = random_lines(random, letters);
    std::vector<LineChange> changes = diff_lines(before, after);
    ASSERT_EQ(applied(before, after, changes), after) << "round " << round;
    ASSERT_EQ(edit_count(changes), fewest_edits(before, after)) << "round " << round;
  }
}

TEST(Diff, CountsWhatAReaderLooksAt) {
  EXPECT_EQ(count_changes("a\nb\nc\nd\n", "a\nx\ny\nc\n"), (LineCounts{1, 1, 1}));
  EXPECT_EQ(count_changes("a\n", "a\n"), LineCounts{});
  EXPECT_EQ(count_changes("a\n", "a"), (LineCounts{1, 0, 0}));
  EXPECT_EQ(to_text(LineCounts{1, 20, 0}), "1 line changed, 20 added");
  EXPECT_EQ(to_text(LineCounts{0, 2, 3}), "2 lines added, 3 removed");
  EXPECT_EQ(to_text(LineCounts{}), "no line changed");
}

TEST(Diff, TakesTextsThatHaveNothingInCommon) {
  std::string before, after;
  for (int i = 0; i < 3000; ++i) before += concat("a", i, "\n"), after += concat("b", i, "\n");
  std::string diff = unified_diff({"a", before}, {"b", after});
  EXPECT_TRUE(diff.starts_with("--- a\n+++ b\n@@ -1,3000 +1,3000 @@\n-a0\n"));
}

}  // namespace
}  // namespace cuco
