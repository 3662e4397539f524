#include "rewrite/text/source_scan.h"

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

TEST(SourceScan, ReadsRawStringsToTheirEnd) {
  auto call = read_call("f(R\"x(\", )\")x\", 2)", 0, "f");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->arguments, (std::vector<std::string>{"R\"x(\", )\")x\"", "2"}));
}

TEST(SourceScan, AQuoteBetweenDigitsBeginsNoCharacter) {
  auto call = read_call("f(1'000, 0xff'ff, u'a', FOUR\"(\")", 0, "f");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->arguments, (std::vector<std::string>{"1'000", "0xff'ff", "u'a'", "FOUR\"(\""}));
}

TEST(SourceScan, ALoopBeginsWithItsWordAlone) {
  for (const char* loop : {"for (;;) f();", "while(x) {", "do f();"}) EXPECT_TRUE(is_loop(loop, 0)) << loop;
  for (const char* other : {"forward(x);", "double y;", "while_(x);"}) EXPECT_FALSE(is_loop(other, 0)) << other;
}

TEST(SourceScan, ABraceInADirectiveClosesNothing) {
  std::string text = "void f() {\n#define END }\n  g();\n}\nint x;";
  auto function = enclosing_function(text, 12);
  ASSERT_TRUE(function);
  EXPECT_EQ(text.substr(function->end), "\nint x;");
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

TEST(SourceScan, PlacesTextBehindTheBlockAroundTheLastInclude) {
  std::string text = "#include <a>\nextern \"C\" {  // }\n#include \"b.h\"\n}\nint main() {}\n";
  EXPECT_EQ(text.substr(after_includes(text, text.size())), "int main() {}\n");
  text = "#include <a>\nvoid f() { g(\"{\"); }\n#include <b>\nint main() {}\n";
  EXPECT_EQ(text.substr(after_includes(text, text.size())), "int main() {}\n");
}

TEST(SourceScan, LeavesIncludesBehindTheLimitAlone) {
  std::string text = "#include <a>\nint f();\n#include <b>\n";
  EXPECT_EQ(after_includes(text, 20), 13u);
}

TEST(SourceScan, FindsTheFunctionAroundAByte) {
  std::string text =
      "#include <a>\nnamespace n {\n// About f.\ntemplate <int N>\nvoid f(int x) {\n  if (x) { g(); }\n}\n}\n";
  auto function = enclosing_function(text, static_cast<uint32_t>(text.find("g()")));
  ASSERT_TRUE(function);
  EXPECT_EQ(function->header, "template <int N>\nvoid f(int x)");
  EXPECT_EQ(text.substr(function->end), "\n}\n");
}

TEST(SourceScan, FindsNoFunctionAroundAGlobal) {
  std::string text = "struct S { int a = 3; };\nint main() { return 0; }\n";
  EXPECT_FALSE(enclosing_function(text, static_cast<uint32_t>(text.find("a = 3"))));
}

TEST(SourceScan, FindsAMethodInsideItsClass) {
  std::string text = "class C {\n public:\n  void step() const { call(); }\n};\n";
  auto function = enclosing_function(text, static_cast<uint32_t>(text.find("call")));
  ASSERT_TRUE(function);
  EXPECT_TRUE(function->header.ends_with("void step() const"));
}

TEST(SourceScan, KnowsTheIndentationOfALine) { EXPECT_EQ(indentation("a\n   b", 5), "   "); }

TEST(SourceScan, ReadsALaunchWithItsStreamAndArguments) {
  std::string_view text = "gemm<4, T><<<dim3(a, b), 64, 0, f(x)>>>(p + q, {1, 2}, r);";
  std::optional<LaunchText> launch = read_launch(text, 0);
  ASSERT_TRUE(launch);
  ASSERT_EQ(launch->configuration.size(), 4u);
  EXPECT_EQ(launch->configuration[3].text, "f(x)");
  ASSERT_EQ(launch->arguments.size(), 3u);
  EXPECT_EQ(launch->arguments[1].text, "{1, 2}");
  EXPECT_EQ(text.substr(launch->arguments[0].begin, launch->arguments[0].end - launch->arguments[0].begin), "p + q");
}

TEST(SourceScan, ReadsNoLaunchFromAnotherStatement) {
  EXPECT_FALSE(read_launch("copy(a, b); gemm<<<1, 2>>>(p);", 0));
  EXPECT_FALSE(read_launch("gemm<<<1, 2>>>", 0));
}

TEST(SourceScan, StatementAloneUnderABranchStandsInNoBlock) {
  for (std::string_view alone : {"if (a)\n  f();", "else\n  f();", "for (;;) f();", "if (a)  // why\n  f();"})
    EXPECT_FALSE(stands_in_block(alone, static_cast<uint32_t>(alone.find("f()")))) << alone;
  for (std::string_view among : {"{ f(); }", "g();\n  f();", "}\n\n  // why\n  f();", "#if A\n  f();"})
    EXPECT_TRUE(stands_in_block(among, static_cast<uint32_t>(among.find("f()")))) << among;
}

}  // namespace
}  // namespace cuco::rewrite
