#include "rewrite/text/loop_text.h"

#include <gtest/gtest.h>

namespace cuco::rewrite {
namespace {

std::optional<LoopText> read(const std::string& text, uint32_t behind = 0) {
  return read_counting_loop(text, 0, static_cast<uint32_t>(text.size()) - behind);
}

TEST(LoopText, ReadsHeaderAndBody) {
  std::string text = "for (size_t peer = 0; peer != team.size(); ++peer) { work(peer); }";
  auto loop = read(text);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->type, "size_t");
  EXPECT_EQ(loop->name, "peer");
  EXPECT_EQ(loop->limit, "team.size()");
  EXPECT_EQ(text.substr(loop->body_begin, loop->body_end - loop->body_begin), "{ work(peer); }");
}

TEST(LoopText, TakesOneStatementAsABody) {
  std::string text = "for (int i = 0; i < n; i++)  // All.\n  if (i) a(i); else b(i);";
  auto loop = read(text, 1);
  ASSERT_TRUE(loop);
  EXPECT_EQ(text.substr(loop->body_begin, loop->body_end - loop->body_begin), "if (i) a(i); else b(i)");
}

TEST(LoopText, LeavesOtherHeadersAlone) {
  EXPECT_FALSE(read("for (i = 0; i < n; i++) {}"));
  EXPECT_FALSE(read("for (int i = 1; i < n; i++) {}"));
  EXPECT_FALSE(read("for (int i = 0; i <= n; i++) {}"));
  EXPECT_FALSE(read("for (int i = n; i > 0; i--) {}"));
  EXPECT_FALSE(read("for (int i : all) {}"));
  EXPECT_FALSE(read("while (more) {}"));
}

TEST(OrderInBody, LocalsAndCallsAreFree) {
  EXPECT_EQ(order_in_body("{ const int count = counts[s * n + rank]; run(count, out + s * n, x == y, a <= b); }", "s"),
            "");
  EXPECT_EQ(order_in_body("{ float* part = all + s * n; part += 3; k<<<g, b, 0, t>>>(part, s); }", "s"), "");
  EXPECT_EQ(order_in_body("{ for (int i = 0; i < 3; i++) f(i); std::vector<int> v(3); v[1] = s; }", "s"), "");
  EXPECT_EQ(order_in_body("{ /* total += 1 */ f(\"a = b\"); if (s == rank) continue; }", "s"), "");
}

TEST(OrderInBody, NamesWhatOutlivesAnIteration) {
  EXPECT_EQ(order_in_body("{ f(begin); begin += counts[s]; }", "s"),
            "the body changes `begin`, which outlives an iteration");
  EXPECT_EQ(order_in_body("if (s > 0) state.total[s]++", "s"), "the body changes `state`, which outlives an iteration");
  EXPECT_EQ(order_in_body("{ auto& slot = table[0]; slot = s; }", "s"),
            "the body changes `slot`, which outlives an iteration");
  EXPECT_EQ(order_in_body("{ advance(s, &cursor); }", "s"), "the body changes `cursor`, which outlives an iteration");
  EXPECT_EQ(order_in_body("{ f(a * b, c); b = s; }", "s"), "the body changes `b`, which outlives an iteration");
}

TEST(OrderInBody, NamesWaysOutAndChangedInductions) {
  EXPECT_EQ(order_in_body("{ if (s == 3) break; }", "s"), "`break` ends it early");
  EXPECT_EQ(order_in_body("{ s += 1; }", "s"), "the body changes `s`");
  EXPECT_EQ(order_in_body("{ order.push_back(s); }", "s"), "`push_back` changes what outlives an iteration");
  EXPECT_EQ(order_in_body("{ std::swap(front, back); }", "s"), "`swap` changes what outlives an iteration");
}

TEST(Names, AreThoseThatOperandsBeginWith) {
  EXPECT_EQ(names_in("route.counts[peer] * sizeof(float) + n::k"),
            (std::vector<std::string>{"route", "peer", "sizeof", "float", "n"}));
}

TEST(Names, ChangeByOperatorsAndDeclarations) {
  EXPECT_TRUE(changes_name("f(n); n += 2;", "n"));
  EXPECT_TRUE(changes_name("read(&n);", "n"));
  EXPECT_TRUE(changes_name("; const int n = f();", "n"));
  EXPECT_FALSE(changes_name("f(n); int m = n; m++;", "n"));
}

}  // namespace
}  // namespace cuco::rewrite
