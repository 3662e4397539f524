#include "evaluate/plain_region.h"

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
  return {0, text.find(first), text.find(last) + last.size(), 1, ""};
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
  PlainRegion region = parse_plain_region("1 20 300 6 program.cu:8:3: cudaMalloc\n").value();
  EXPECT_EQ(region.file, 1u);
  EXPECT_EQ(region.begin, 20u);
  EXPECT_EQ(region.end, 300u);
  EXPECT_EQ(region.own_calls, 6u);
  EXPECT_EQ(region.set_up, "program.cu:8:3: cudaMalloc");
  EXPECT_EQ(parse_plain_region("0 20 300 1 \n").value().set_up, "");
  EXPECT_FALSE(parse_plain_region("").ok());
}

}  // namespace
}  // namespace cuco::evaluate
