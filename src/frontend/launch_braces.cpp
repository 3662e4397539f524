#include "frontend/launch_braces.h"

#include <algorithm>

#include "frontend/clang_headers.pch.h"

namespace cuco::frontend {

namespace {

struct Lexeme {
  clang::tok::TokenKind kind;
  size_t at;
};

std::vector<Lexeme> lexemes_of(const std::string& text) {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
  options.CUDA = options.LineComment = options.Bool = options.Digraphs = true;
  clang::Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(), text.data() + text.size());
  std::vector<Lexeme> lexemes;
  clang::Token token;
  do {
    lexer.LexFromRawLexer(token);
    lexemes.push_back({token.getKind(), lexer.getBufferLocation() - text.data() - token.getLength()});
  } while (token.isNot(clang::tok::eof));
  return lexemes;
}

bool opens(clang::tok::TokenKind kind) {
  return kind == clang::tok::l_paren || kind == clang::tok::l_brace || kind == clang::tok::l_square;
}
bool closes(clang::tok::TokenKind kind) {
  return kind == clang::tok::r_paren || kind == clang::tok::r_brace || kind == clang::tok::r_square;
}

// The index of the bracket that closes the one at `open`, or the last lexeme.
size_t closing(const std::vector<Lexeme>& lexemes, size_t open) {
  int depth = 0;
  for (size_t i = open; i + 1 < lexemes.size(); i++) {
    depth += opens(lexemes[i].kind) - closes(lexemes[i].kind);
    if (depth == 0) return i;
  }
  return lexemes.size() - 1;
}

void replace_braces(std::string& text, const std::vector<Lexeme>& lexemes, size_t open, size_t argument) {
  size_t close = closing(lexemes, open);
  if (close + 1 == lexemes.size()) return;
  bool empty = close == open + 1;
  text[lexemes[open].at] = !empty ? '(' : argument < 2 ? '1' : '0';
  text[lexemes[close].at] = empty ? ' ' : ')';
}

// The configuration that begins behind the <<< at `begin`.
void mask_configuration(std::string& text, const std::vector<Lexeme>& lexemes, size_t begin) {
  size_t argument = 0;
  bool begins_argument = true;
  for (size_t i = begin; i < lexemes.size(); i++) {
    clang::tok::TokenKind kind = lexemes[i].kind;
    if (kind == clang::tok::greatergreatergreater || closes(kind)) return;
    if (begins_argument && kind == clang::tok::l_brace) replace_braces(text, lexemes, i, argument);
    begins_argument = kind == clang::tok::comma;
    argument += begins_argument;
    if (opens(kind)) i = closing(lexemes, i);
  }
}

}  // namespace

std::string without_launch_braces(std::string text) {
  if (text.find("<<<") == std::string::npos) return text;
  std::vector<Lexeme> lexemes = lexemes_of(text);
  for (size_t i = 0; i < lexemes.size(); i++)
    if (lexemes[i].kind == clang::tok::lesslessless) mask_configuration(text, lexemes, i + 1);
  return text;
}

std::vector<const clang::Expr*> braced_parts(const clang::Expr* argument) {
  std::vector<const clang::Expr*> parts;
  const clang::Expr* rest = argument->IgnoreParenImpCasts();
  const auto* comma = llvm::dyn_cast<clang::BinaryOperator>(rest);
  while (comma && comma->getOpcode() == clang::BO_Comma) {
    parts.push_back(comma->getRHS());
    rest = comma->getLHS();
    comma = llvm::dyn_cast<clang::BinaryOperator>(rest);
  }
  parts.push_back(parts.empty() ? argument : rest);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace cuco::frontend
