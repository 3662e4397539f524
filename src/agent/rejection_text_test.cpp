#include "agent/rejection_text.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace cuco::agent {
namespace {

Rejection twenty_lines() {
  Rejection rejection;
  std::string text;
  for (int i = 1; i <= 30; ++i) text += concat("line ", i, ";\n");
  rejection.program = {{"folder/a.cu", text}};
  return rejection;
}

TEST(RejectionText, FindingsOfAllRanksAreGroupedByKindAndPlace) {
  Rejection rejection = twenty_lines();
  rejection.findings = {{"window_race", 0, "rank 0 writes at a.cu:5"},
                        {"window_race", 2, "rank 2 writes at a.cu:5"},
                        {"window_race", 1, "rank 1 writes at a.cu:9"},
                        {"deadlock", -1, "nobody goes on"}};
  EXPECT_EQ(findings_in_short(rejection),
            "- window_race, 2 times, ranks 0, 2: rank 0 writes at a.cu:5\n"
            "- window_race, rank 1: rank 1 writes at a.cu:9\n"
            "- deadlock: nobody goes on\n");
}

TEST(RejectionText, LinesAroundFindingsAreNumberedAndMerged) {
  Rejection rejection = twenty_lines();
  rejection.findings = {{"build", -1, "a.cu:2:3: error: x"},
                        {"build", -1, "a.cu:11:1: error: y"},
                        {"build", -1, "a.cu:30:1: error: z"},
                        {"build", -1, "b.cu:20: another file"}};
  std::string text = numbered_excerpts(rejection);
  EXPECT_TRUE(text.starts_with("FILE: a.cu\n     1| line 1;\n>    2| line 2;\n     3| line 3;\n")) << text;
  EXPECT_EQ(text.find("...\n     8|"), std::string::npos) << "windows that touch are one: " << text;
  EXPECT_NE(text.find("    15| line 15;\n   ...\n    26| line 26;\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with(">   30| line 30;\n    31| \n")) << text;
}

TEST(RejectionText, AReplyThatWasNoProgramIsShownWithWhatWasTriedBefore) {
  Rejection rejection = twenty_lines();
  rejection.findings = {{"reply", -1, "the reply states no plan"}};
  rejection.reply = "I would ask first.";
  rejection.attempts = {"put early: rejected, deadlock"};
  EXPECT_EQ(
      rejection_text(rejection),
      "What is wrong with it:\n- reply: the reply states no plan\n\nThe reply began:\n~~~\nI would ask first.\n~~~\n"
      "\nEarlier attempts at it:\n- put early: rejected, deadlock\n");
}

}  // namespace
}  // namespace cuco::agent
