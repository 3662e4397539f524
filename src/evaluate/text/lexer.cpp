#include "evaluate/text/lexer.h"

#include <algorithm>
#include <cctype>

namespace cuco::evaluate {

namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

struct Digraph {
  std::string_view written, meant;
};
constexpr Digraph kDigraphs[] = {{"%:%:", "##"}, {"<%", "{"}, {"%>", "}"}, {"<:", "["}, {":>", "]"}, {"%:", "#"}};
// Only those that a check asks for; all others may fall apart into single characters.
constexpr std::string_view kLongPunctuation[] = {"##", "::", "->", "=="};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) { skip_splices(); }

  std::vector<Token> take() {
    while (!at_end()) step();
    return std::move(tokens_);
  }

 private:
  bool at_end() const { return at_ >= source_.size(); }

  // A backslash before a line's end, with blanks between as compilers allow, joins two lines.
  void skip_splices() {
    while (at_ < source_.size() && source_[at_] == '\\') {
      size_t end = at_ + 1;
      while (end < source_.size() && (source_[end] == ' ' || source_[end] == '\t' || source_[end] == '\r')) end++;
      if (end >= source_.size() || source_[end] != '\n') return;
      at_ = end + 1;
      line_++;
    }
  }
  char peek() const { return at_end() ? '\0' : source_[at_]; }
  char next() {
    char c = source_[at_++];
    if (c == '\n') line_++;
    skip_splices();
    return c;
  }
  char peek_second() {
    Lexer ahead = place();
    ahead.next();
    return ahead.peek();
  }
  // A copy of the place alone.
  Lexer place() const {
    Lexer copy("");
    copy.source_ = source_, copy.at_ = at_, copy.line_ = line_;
    return copy;
  }
  bool looks_at(std::string_view text) const {
    Lexer ahead = place();
    for (char c : text)
      if (ahead.at_end() || ahead.next() != c) return false;
    return true;
  }

  void begin(TokenKind kind) {
    Token token{kind, "", line_, at_, at_, in_directive_, line_is_blank_};
    tokens_.push_back(token);
  }
  void take_char() { tokens_.back().text += next(); }
  void end() {
    tokens_.back().end = std::min(at_, source_.size());
    if (!tokens_.back().is_comment()) line_is_blank_ = false;
  }

  void step() {
    char c = peek();
    if (c == '\n') {
      in_directive_ = false;
      line_is_blank_ = true;
    }
    if (std::isspace(static_cast<unsigned char>(c)))
      next();
    else if (looks_at("//"))
      line_comment();
    else if (looks_at("/*"))
      block_comment();
    else if (starts_name(c))
      name();
    else if (std::isdigit(static_cast<unsigned char>(c)) ||
             (c == '.' && std::isdigit(static_cast<unsigned char>(peek_second()))))
      number();
    else if (c == '"' || c == '\'')
      quoted(c);
    else
      punctuation();
  }

  void line_comment() {
    begin(TokenKind::LineComment);
    while (!at_end() && peek() != '\n') take_char();
    end();
  }

  void block_comment() {
    begin(TokenKind::BlockComment);
    take_char(), take_char();
    while (!at_end() && !looks_at("*/")) take_char();
    if (at_end())
      tokens_.back().kind = TokenKind::Odd;
    else
      take_char(), take_char();
    end();
  }

  void name() {
    begin(TokenKind::Identifier);
    while (!at_end() && continues_name(peek())) take_char();
    std::string& text = tokens_.back().text;
    bool raw = text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R";
    bool prefix = raw || text == "L" || text == "u" || text == "U" || text == "u8";
    if (raw && peek() == '"') return raw_string();
    if (prefix && (peek() == '"' || peek() == '\'')) {
      char quote = peek();
      tokens_.pop_back();
      return quoted(quote);
    }
    end();
  }

  void number() {
    begin(TokenKind::Number);
    while (!at_end()) {
      char c = peek();
      bool separator = c == '\'' && continues_name(peek_second());
      if (!continues_name(c) && c != '.' && !separator) break;
      take_char();
      bool exponent = (c == 'e' || c == 'E' || c == 'p' || c == 'P') && (peek() == '+' || peek() == '-');
      if (exponent) take_char();
    }
    end();
  }

  void quoted(char quote) {
    begin(quote == '"' ? TokenKind::String : TokenKind::Character);
    take_char();
    while (!at_end() && peek() != quote && peek() != '\n') {
      if (peek() == '\\') take_char();
      if (!at_end()) take_char();
    }
    if (peek() == quote && !at_end())
      take_char();
    else
      tokens_.back().kind = TokenKind::Odd;
    end();
  }

  // Line splices are text inside of it.
  void raw_string() {
    Token& token = tokens_.back();
    token.kind = TokenKind::String;
    size_t open = source_.find('(', at_);
    std::string close;
    if (open != source_.npos) close.append(")").append(source_.substr(at_ + 1, open - at_ - 1)).append("\"");
    size_t found = close.empty() ? source_.npos : source_.find(close, open);
    size_t stop = found == source_.npos ? source_.size() : found + close.size();
    if (found == source_.npos) token.kind = TokenKind::Odd;
    token.text += source_.substr(at_, stop - at_);
    line_ += static_cast<int>(
        std::count(source_.begin() + static_cast<long>(at_), source_.begin() + static_cast<long>(stop), '\n'));
    at_ = stop;
    skip_splices();
    end();
  }

  void punctuation() {
    char c = peek();
    bool known = std::ispunct(static_cast<unsigned char>(c)) && c != '\\' && c != '@' && c != '`';
    begin(known ? TokenKind::Punctuation : TokenKind::Odd);
    bool first = line_is_blank_;
    size_t length = 1;
    std::string meant;
    for (const Digraph& digraph : kDigraphs)
      if (meant.empty() && looks_at(digraph.written)) meant = digraph.meant, length = digraph.written.size();
    for (std::string_view text : kLongPunctuation)
      if (meant.empty() && looks_at(text)) length = text.size();
    for (size_t i = 0; i < length; i++) take_char();
    if (!meant.empty()) tokens_.back().text = meant;
    if (first && tokens_.back().text == "#") in_directive_ = tokens_.back().in_directive = true;
    end();
  }

  std::string_view source_;
  size_t at_ = 0;
  int line_ = 1;
  bool in_directive_ = false;
  bool line_is_blank_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view source) { return Lexer(source).take(); }

// Directives end with their line, so a line's end counts there and nowhere else.
std::string normalised(std::string_view source) {
  std::string text;
  bool in_directive = false;
  for (const Token& token : lex(source)) {
    if (token.is_comment()) continue;
    bool begins_directive = token.in_directive && token.starts_line;
    if (in_directive != token.in_directive || begins_directive) text += '\n';
    in_directive = token.in_directive;
    text += token.text;
    text += '\x1f';
  }
  return text;
}

}  // namespace cuco::evaluate
