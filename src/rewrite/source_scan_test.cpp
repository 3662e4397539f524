#include "rewrite/source_scan.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

TEST(SourceScan, ReadsArgumentsWithBracketsAndStrings) {
  std::string text = "CHECK(f(a[1, 2], g(x, y), \",)\", 'c' /* , */));";
  auto call = read_call(text, 6, "f");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->arguments, (std::vector<std::string>{"a[1, 2]", "g(x, y)", "\",)\"", "'c' /* , */"}));
  EXPECT_EQ(text[call->close], ')');
}

TEST(SourceScan, ReadsACallWithTemplateArgumentsAndGlobalScope) {
  auto call = read_call("::cudaMalloc<float>(&p, n)", 0, "cudaMalloc");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->arguments, (std::vector<std::string>{"&p", "n"}));
}

TEST(SourceScan, DoesNotReadACallOfAnotherName) { EXPECT_FALSE(read_call("other(x)", 0, "f")); }

TEST(SourceScan, EndsAStatementBehindTheMacroAroundTheCall) {
  std::string text = "CHECK(f(x)); g();";
  EXPECT_EQ(statement_end(text, 6), 12u);
}

TEST(SourceScan, FindsNoStatementEndWhereABlockEndsFirst) { EXPECT_FALSE(statement_end("f(x) }", 0)); }

TEST(SourceScan, PlacesTextAfterTheLastIncludeAndItsCondition) {
  std::string text = "#include <a>\n#ifdef X\n#include <b>\n#endif\nint main() {}\n";
  EXPECT_EQ(text.substr(after_includes(text, text.size())), "int main() {}\n");
}

TEST(SourceScan, LeavesIncludesBehindTheLimitAlone) {
  std::string text = "#include <a>\nint f();\n#include <b>\n";
  EXPECT_EQ(after_includes(text, 20), 13u);
}

TEST(SourceScan, KnowsTheIndentationOfALine) { EXPECT_EQ(indentation("a\n   b", 5), "   "); }

}  // namespace
}  // namespace cuco::rewrite
