#include "evaluate/plain/region.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cuco::evaluate {
namespace {

const std::string kText = R"(int main() {
  int* kept = 0;
  record(start);  // It begins { here.
  int result = work();
  record(stop);
  print(result);
}
)";

PlainRegion between(const std::string& text, const std::string& first, const std::string& last) {
  return {"program.cu", text.find(first), text.find(last) + last.size(), 1, true, ""};
}

TEST(PlainRegion, MarksStandOnTheLinesOfItsFirstAndLastStatement) {
  std::string marked = with_marks(kText, between(kText, "record(start)", "record(stop)")).value();
  EXPECT_NE(marked.find("\n  cuco_region: cuco_region_begins(); record(start);  // It begins"), std::string::npos);
  EXPECT_NE(marked.find("\n  record(stop); if (cuco_region_goes_on()) goto cuco_region;\n  print"), std::string::npos);
  EXPECT_EQ(std::count(marked.begin(), marked.end(), '\n'), std::count(kText.begin(), kText.end(), '\n'));
}

// What the marks enclose; "-" where it cannot be marked.
std::string marked_part(const std::string& text) {
  Result<std::string> marked = with_marks(text, between(text, "record(start)", "record(stop)"));
  if (!marked) return "-";
  const std::string begin = "cuco_region: cuco_region_begins(); ", end = " if (cuco_region_goes_on())";
  size_t from = marked->find(begin) + begin.size();
  return marked->substr(from, marked->find(end) - from);
}

TEST(PlainRegion, ConditionsOfItsEndsAreInIt) {
  EXPECT_EQ(marked_part("a(); record(start); if (t) { record(stop); b(); } c();"),
            "record(start); if (t) { record(stop); b(); }");
  EXPECT_EQ(marked_part("a(); if (t) { record(start); } b(); if (t) { record(stop); } c();"),
            "if (t) { record(start); } b(); if (t) { record(stop); }");
  EXPECT_EQ(marked_part("a(); if (t) record(start); b(); if (t) record(stop); c();"),
            "if (t) record(start); b(); if (t) record(stop);");
  EXPECT_EQ(marked_part("record(start); if (t) { record(stop); } else { b(); } c();"),
            "record(start); if (t) { record(stop); } else { b(); }");
  EXPECT_EQ(marked_part("if (t) { a(); record(start); b(); record(stop); c(); }"), "record(start); b(); record(stop);");
}

TEST(PlainRegion, IsMadeOfWholeStatements) {
  EXPECT_EQ(marked_part("a(); CHECK(record(start)); b(); CHECK(record(stop)); c();"),
            "CHECK(record(start)); b(); CHECK(record(stop));");
  EXPECT_EQ(marked_part("#if A\nint x = record(start);\n#endif\nrecord(stop);"),
            "int x = record(start);\n#endif\nrecord(stop);");
}

TEST(PlainRegion, LoopsAndFunctionsAreNotTakenApart) {
  EXPECT_EQ(marked_part("for (;;) { record(start); } b(); record(stop);"), "-");
  EXPECT_EQ(marked_part("void f() { record(start); } void g() { record(stop); }"), "-");
  EXPECT_EQ(marked_part("if (t) { a(); } else { record(start); } record(stop);"), "-");
}

TEST(PlainRegion, LeavesTheMarksToCuco) {
  std::string text = "record(start); cuco_region_goes_on(); record(stop);";
  EXPECT_FALSE(with_marks(text, between(text, "record(start)", "record(stop)")).ok());
  text = "record(start); /* cuco_region_goes_on */ record(stop);";
  EXPECT_TRUE(with_marks(text, between(text, "record(start)", "record(stop)")).ok());
}

TEST(PlainRegion, IsReadAsItIsWritten) {
  PlainRegion region = {"src/program.cu", 20, 300, 6, true, "program.cu:8:3: cudaMalloc"};
  EXPECT_EQ(parse_plain_region(to_text(region)).value(), region);
  region = {"a b.cu", 0, 1, 1, false, ""};
  EXPECT_EQ(parse_plain_region(to_text(region)).value(), region);
  region.is_last = true;
  EXPECT_EQ(parse_plain_region(to_text(region)).value(), region);
  EXPECT_FALSE(parse_plain_region("").ok());
}

TEST(PlainRegion, MarksSayWhetherTheyTimeIt) {
  PlainRegion region = between(kText, "record(start)", "record(stop)");
  region.by_events = false;
  EXPECT_NE(with_marks(kText, region).value().find("cuco_region: cuco_timed_region_begins(); record"),
            std::string::npos);
}

TEST(PlainRegion, MarksSayWhetherItIsTheLast) {
  PlainRegion region = between(kText, "record(start)", "record(stop)");
  region.is_last = true;
  EXPECT_NE(with_marks(kText, region).value().find("record(stop); if (cuco_last_region_goes_on()) goto cuco_region;"),
            std::string::npos);
}

// What the region of kText is in another text.
std::string carried(const std::string& made) {
  PlainRegion region = carried_over(between(kText, "record(start);", "record(stop);"), kText, made);
  return made.substr(region.begin, region.end - region.begin);
}

TEST(PlainRegion, IsCarriedOverToATextWithOtherLines) {
  EXPECT_EQ(carried(kText),
            kText.substr(kText.find("record(start)"), kText.find("  print") - kText.find("record(start)") - 1));
  EXPECT_EQ(
      carried("#include <x>\nint main() {\n  int* kept = 0;\n  set_up();\n  record(start);  // It begins { here.\n"
              "  fused();\n  more();\n  record(stop);\n  print(result);\n}\n"),
      "record(start);  // It begins { here.\n  fused();\n  more();\n  record(stop);");
}

TEST(PlainRegion, WhatStandsInsteadOfItsEndsIsInIt) {
  EXPECT_EQ(
      carried("int main() {\n  int* kept = 0;\n  begin_other();\n  int result = work();\n  first();\n  second();\n"
              "  print(result);\n}\n"),
      "begin_other();\n  int result = work();\n  first();\n  second();");
}

}  // namespace
}  // namespace cuco::evaluate
