#include "frontend/nvcc_syntax.h"

#include <algorithm>

#include "frontend/clang_headers.h"

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

bool is_word(const std::string& text, const Lexeme& lexeme, std::string_view word) {
  return lexeme.kind == clang::tok::raw_identifier && text.compare(lexeme.at, word.size(), word) == 0 &&
         !isalnum(text[lexeme.at + word.size()]) && text[lexeme.at + word.size()] != '_';
}

// The indices of alignas behind an attribute of CUDA, as a macro or spelled out: `__attribute__((shared))`.
std::vector<size_t> late_alignas(const std::string& text, const std::vector<Lexeme>& lexemes) {
  std::vector<size_t> found;
  for (size_t i = 1; i + 2 < lexemes.size(); i++) {
    if (!is_word(text, lexemes[i], "alignas") || lexemes[i + 1].kind != clang::tok::l_paren) continue;
    const Lexeme& before = lexemes[i - 1];
    bool is_macro = false;
    for (std::string_view word : {"__shared__", "__device__", "__constant__", "__managed__"})
      is_macro = is_macro || is_word(text, before, word);
    bool is_attribute = before.kind == clang::tok::r_paren && i > 5 && is_word(text, lexemes[i - 6], "__attribute__");
    if (is_macro || is_attribute) found.push_back(i);
  }
  return found;
}

}  // namespace

std::string as_clang_parses(std::string text) {
  bool launches = text.find("<<<") != std::string::npos, aligns = text.find("alignas") != std::string::npos;
  if (!launches && !aligns) return text;
  std::vector<Lexeme> lexemes = lexemes_of(text);
  for (size_t i = 0; i < lexemes.size(); i++)
    if (lexemes[i].kind == clang::tok::lesslessless) mask_configuration(text, lexemes, i + 1);
  for (size_t at : late_alignas(text, lexemes)) {
    size_t end = lexemes[closing(lexemes, at + 1)].at + 1;
    std::replace_if(
        text.begin() + static_cast<long>(lexemes[at].at), text.begin() + static_cast<long>(end),
        [](char c) { return c != '\n'; }, ' ');
  }
  return text;
}

std::string with_alignas_of_c(const std::string& text) {
  if (text.find("alignas") == std::string::npos) return text;
  std::vector<Lexeme> lexemes = lexemes_of(text);
  std::string out;
  size_t copied = 0;
  for (size_t index : late_alignas(text, lexemes)) {
    out += text.substr(copied, lexemes[index].at - copied) + "_Alignas";
    copied = lexemes[index].at + std::string_view("alignas").size();
  }
  return out + text.substr(copied);
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
