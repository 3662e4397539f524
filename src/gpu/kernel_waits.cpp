#include "gpu/kernel_waits.h"

#include <algorithm>
#include <set>

#include "evaluate/text/lexer.h"

namespace cuco::gpu {

namespace {

using evaluate::Token;
using evaluate::TokenKind;

struct Body {
  std::string file;
  std::string name;
  std::vector<Token> tokens;  // Between the braces.
};

// Index of the bracket that closes the one at `open`, or the end.
size_t closing(const std::vector<Token>& tokens, size_t open, const char* opens, const char* closes) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); i++) {
    if (tokens[i].is(opens)) depth++;
    if (tokens[i].is(closes) && --depth == 0) return i;
  }
  return tokens.size();
}

// Of a definition: what stands between its parameters and its body is a few words at most.
size_t body_after(const std::vector<Token>& tokens, size_t parameters_end) {
  for (size_t i = parameters_end + 1; i < tokens.size(); i++) {
    if (tokens[i].is("{")) return i;
    if (tokens[i].kind != TokenKind::Identifier) return tokens.size();
  }
  return tokens.size();
}

std::vector<Token> code_of(const std::string& text) {
  std::vector<Token> tokens = evaluate::lex(text);
  std::erase_if(tokens, [](const Token& token) { return token.is_comment() || token.in_directive; });
  return tokens;
}

bool is_keyword(const std::string& word) {
  static const std::set<std::string> words = {"if", "while", "for", "switch", "catch", "return", "sizeof"};
  return words.contains(word);
}

void add_bodies(const SourceFile& file, std::vector<Body>& bodies) {
  std::vector<Token> tokens = code_of(file.text);
  for (size_t i = 0; i + 1 < tokens.size(); i++) {
    if (tokens[i].kind != TokenKind::Identifier || !tokens[i + 1].is("(") || is_keyword(tokens[i].text)) continue;
    size_t begin = body_after(tokens, closing(tokens, i + 1, "(", ")"));
    if (begin == tokens.size()) continue;
    size_t end = closing(tokens, begin, "{", "}");
    bodies.push_back(
        {file.name,
         tokens[i].text,
         {tokens.begin() + static_cast<std::ptrdiff_t>(begin) + 1, tokens.begin() + static_cast<std::ptrdiff_t>(end)}});
  }
}

// Barriers of a team take arguments; those of a block, which cannot hang by another rank, take none.
bool is_barrier(const std::vector<Token>& tokens, size_t i) {
  if (!tokens[i].is("sync") || i < 2 || i + 2 >= tokens.size() || !tokens[i + 1].is("(")) return false;
  return !tokens[i + 2].is(")") || tokens[i - 2].is("grid");
}

bool looks_at_memory(const std::string& word) {
  for (const char* mark : {"volatile", "atomic", "load", "ld_", "acquire"})
    if (word.find(mark) != std::string::npos) return true;
  return false;
}

bool is_spin(const std::vector<Token>& tokens, size_t i) {
  if (!tokens[i].is("while") || i + 1 >= tokens.size()) return false;
  size_t end = closing(tokens, i + 1, "(", ")");
  return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     tokens.begin() + static_cast<std::ptrdiff_t>(std::min(end, tokens.size())),
                     [](const Token& token) { return looks_at_memory(token.text); });
}

std::string wait_at(const std::vector<Token>& tokens, size_t i) {
  const std::string& word = tokens[i].text;
  bool is_call = i + 1 < tokens.size() && tokens[i + 1].is("(");
  if (is_call && (word.starts_with("waitSignal") || word.starts_with("waitCounter"))) return word;
  if (is_barrier(tokens, i)) return "sync";
  return is_spin(tokens, i) ? "a loop" : "";
}

class Search {
 public:
  explicit Search(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) add_bodies(file, bodies_);
  }

  void visit(const std::string& name) {
    if (!visited_.insert(name).second) return;
    for (const Body& body : bodies_)
      if (body.name == name) visit(body);
  }

  std::vector<Wait> waits;

 private:
  void visit(const Body& body) {
    for (size_t i = 0; i < body.tokens.size(); i++) {
      if (std::string what = wait_at(body.tokens, i); !what.empty())
        waits.push_back({body.file, body.tokens[i].line, what});
      else if (body.tokens[i].kind == TokenKind::Identifier)
        visit(body.tokens[i].text);
    }
  }

  std::vector<Body> bodies_;
  std::set<std::string> visited_;
};

// "void tiles::send<float>(float*, int)" -> "send".
std::string plain_name(const std::string& kernel) {
  std::vector<Token> tokens = evaluate::lex(kernel);
  std::string name;
  for (const Token& token : tokens) {
    if (token.is("<") || token.is("(")) break;
    if (token.kind == TokenKind::Identifier) name = token.text;
  }
  return name;
}

}  // namespace

std::vector<Wait> waits_of(const std::string& kernel, const std::vector<SourceFile>& files) {
  Search search(files);
  search.visit(plain_name(kernel));
  return search.waits;
}

}  // namespace cuco::gpu
