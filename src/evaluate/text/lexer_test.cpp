#include "evaluate/text/lexer.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> all;
  for (const Token& token : lex(source)) all.push_back(token.text);
  return all;
}
using Texts = std::vector<std::string>;

TEST(Lexer, JoinsSplicedNames) {
  EXPECT_EQ(texts("sys\\\ntem(x)"), (Texts{"system", "(", "x", ")"}));
  EXPECT_EQ(texts("sys\\ \r\ntem"), Texts{"system"});
}

TEST(Lexer, SplicedLineCommentTakesTheNextLine) {
  std::vector<Token> tokens = lex("// a \\\nb\nc");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].kind, TokenKind::LineComment);
  EXPECT_EQ(tokens[1].line, 3);
}

TEST(Lexer, CommentsInStringsAreText) {
  EXPECT_EQ(texts("\"/* no */\" 'x' \"a\\\"b\""), (Texts{"\"/* no */\"", "'x'", "\"a\\\"b\""}));
}

TEST(Lexer, RawStringsKeepEverything) {
  std::vector<Token> tokens = lex("R\"x(a\\\n)\" // )x\" b");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].kind, TokenKind::String);
  EXPECT_EQ(tokens[1].text, "b");
  EXPECT_EQ(tokens[1].line, 2);
}

TEST(Lexer, DigraphsAreWhatTheyStandFor) {
  EXPECT_EQ(texts("%:define a <% %> x %:%: y"), (Texts{"#", "define", "a", "{", "}", "x", "##", "y"}));
  EXPECT_TRUE(lex("%:define a")[2].in_directive);
}

TEST(Lexer, DirectiveEndsWithItsLine) {
  std::vector<Token> tokens = lex("#define a \\\n b\nc # d");
  EXPECT_TRUE(tokens[3].in_directive);
  EXPECT_FALSE(tokens[4].in_directive);
  EXPECT_FALSE(tokens[5].in_directive) << "a # inside a line begins no directive";
}

TEST(Lexer, CommentBeforeADirectiveDoesNotHideIt) { EXPECT_TRUE(lex("/* x */ # define a")[2].in_directive); }

TEST(Lexer, NumbersWithSeparatorsAreOneToken) {
  EXPECT_EQ(texts("1'000 0x1p-3 .5f 1e+9"), (Texts{"1'000", "0x1p-3", ".5f", "1e+9"}));
}

TEST(Lexer, WhatNeverEndsIsOdd) {
  EXPECT_EQ(lex("/* a")[0].kind, TokenKind::Odd);
  EXPECT_EQ(lex("R\"(a")[0].kind, TokenKind::Odd);
  EXPECT_EQ(lex("\"a\nb")[0].kind, TokenKind::Odd);
  EXPECT_EQ(lex("\\u0073")[0].kind, TokenKind::Odd);
}

TEST(Lexer, NormalisedTextIgnoresLayoutAndCommentsOnly) {
  EXPECT_EQ(normalised("int a; // x\nint b;"), normalised("int a;int/**/b ;"));
  EXPECT_NE(normalised("int ab;"), normalised("int a b;"));
  EXPECT_NE(normalised("#define a b\nc"), normalised("#define a b c"));
  EXPECT_NE(normalised("x(\"a b\")"), normalised("x(\"a  b\")"));
}

}  // namespace
}  // namespace cuco::evaluate
