// A C++ lexer that is just good enough to judge text that nobody trusts: comments, strings, raw strings, line splices,
// digraphs and directives are told apart as a compiler does. It never fails; what it cannot make sense of is a token of
// kind Odd.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuco::evaluate {

enum class TokenKind : uint8_t { Identifier, Number, String, Character, Punctuation, LineComment, BlockComment, Odd };

struct Token {
  TokenKind kind;
  std::string text;           // Without line splices; digraphs as what they stand for.
  int line = 0;               // Where it begins, from 1.
  size_t begin = 0, end = 0;  // Bytes of the source text.
  bool in_directive = false;  // From the # to the end of its line.
  bool starts_line = false;   // Nothing but blanks and comments before it on its line.

  bool is(std::string_view wanted) const {
    return (kind == TokenKind::Punctuation || kind == TokenKind::Identifier) && text == wanted;
  }
  bool is_comment() const { return kind == TokenKind::LineComment || kind == TokenKind::BlockComment; }
};

std::vector<Token> lex(std::string_view source);

// Equal for texts that differ only in comments and white space between tokens.
std::string normalised(std::string_view source);

}  // namespace cuco::evaluate
