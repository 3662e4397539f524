#include "model/finding_text.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

using Lines = std::vector<std::string>;

TEST(FindingText, ErrorsComeFirstAndWarningsOfAKindAreOneLine) {
  std::vector<ShownFinding> findings = {
      {Severity::Warning, "leak", "ranks 0-3", "1 x stream at a.cu:7 without an end", ""},
      {Severity::Warning, "leak", "rank 0", "1 x event at a.cu:9 without an end", ""},
      {Severity::Error, "deadlock", "rank 2", "it waits at a.cu:12", ""},
      {Severity::Warning, "leak", "rank 0", "1 x event without an end", ""}};
  EXPECT_EQ(
      finding_lines(findings, 12),
      (Lines{"deadlock, rank 2: it waits at a.cu:12",
             "warning: leak, ranks 0-3: 1 x stream at a.cu:7 without an end; and 2 more like it, at a.cu:9, ..."}));
}

TEST(FindingText, OneCommandForFindingsOfOneRun) {
  std::vector<ShownFinding> findings = {{Severity::Error, "gpu_race", "seed 1", "one", "cuco x --seed 1"},
                                        {Severity::Error, "deadlock", "seed 1", "two", "cuco x --seed 1"},
                                        {Severity::Error, "deadlock", "seed 2", "three", "cuco x --seed 2"}};
  EXPECT_EQ(finding_lines(findings, 12),
            (Lines{"gpu_race, seed 1: one", "deadlock, seed 1: two", "  repeat: cuco x --seed 1",
                   "deadlock, seed 2: three", "  repeat: cuco x --seed 2"}));
}

TEST(FindingText, ErrorsBeyondTheLimitAreCounted) {
  std::vector<ShownFinding> findings(5, {Severity::Error, "gpu_race", "", "same", "cuco x"});
  EXPECT_EQ(finding_lines(findings, 2), (Lines{"gpu_race: same", "gpu_race: same", "  repeat: cuco x", "and 3 more"}));
}

}  // namespace
}  // namespace cuco::model
