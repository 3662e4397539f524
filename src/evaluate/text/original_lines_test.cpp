#include "evaluate/text/original_lines.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

const std::vector<SourceFile> kOriginal = {{"ring.cu", "a\nb\nc\nd\n"}, {"host.cpp", "x\n"}};
// Two lines in front, c changed to C, one line behind it.
const std::vector<SourceFile> kCandidate = {{"ring.cu", "0\n1\na\nb\nC\nnew\nd\n"}, {"host.cpp", "x\n"}};

std::string noted(const std::string& text) { return with_original_lines(text, kOriginal, kCandidate); }

TEST(OriginalLines, LinesThatMovedAreNamedAsTheyWere) {
  EXPECT_EQ(noted("race at ring.cu:3; and ring.cu:7, too"),
            "race at ring.cu:3 (line 1 of the original); and ring.cu:7 (line 4 of the original), too");
}

TEST(OriginalLines, NewAndChangedLinesSayWhereTheyStand) {
  EXPECT_EQ(noted("at ring.cu:1"), "at ring.cu:1 (new, after line 0 of the original)");
  EXPECT_EQ(noted("at ring.cu:5"), "at ring.cu:5 (line 3 of the original, changed)");
  EXPECT_EQ(noted("at ring.cu:6"), "at ring.cu:6 (new, after line 3 of the original)");
}

TEST(OriginalLines, OtherFilesAndUnchangedOnesStayAsTheyAre) {
  EXPECT_EQ(noted("at host.cpp:1, spring.cu:7 and ring.cu: all"), "at host.cpp:1, spring.cu:7 and ring.cu: all");
  EXPECT_EQ(with_original_lines("at ring.cu:3", kOriginal, kOriginal), "at ring.cu:3");
}

}  // namespace
}  // namespace cuco::evaluate
