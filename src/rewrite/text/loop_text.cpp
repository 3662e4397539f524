#include "rewrite/text/loop_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/text.h"
#include "rewrite/text/source_scan.h"

namespace cuco::rewrite {

namespace {

// A word or one character of punctuation; comments and the inside of strings are left out.
struct Token {
  std::string_view text;
  uint32_t begin = 0;

  bool is_name() const { return std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_'; }
};

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t after = skip_opaque(text, i);
    if (after != i || std::isspace(static_cast<unsigned char>(text[i]))) {
      i = std::max(after, i + 1);
      continue;
    }
    size_t end = i + 1;
    while (is_word(text[i]) && end < text.size() && is_word(text[end])) end++;
    tokens.push_back({text.substr(i, end - i), static_cast<uint32_t>(i)});
    i = end;
  }
  return tokens;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::ranges::find(known, text) != known.end();
}

// Reads a body from front to back and remembers which names it has declared so far.
class BodyReader {
 public:
  BodyReader(std::string_view body, const std::string& induction) : tokens_(tokens_of(body)), induction_(induction) {}

  std::string find_order() {
    for (size_t i = 0; i < tokens_.size(); i++) {
      note_declaration(i);
      std::string reason = look_at(i);
      if (!reason.empty()) return reason;
    }
    return {};
  }

  bool changes(std::string_view name) {
    for (size_t i = 0; i < tokens_.size(); i++) {
      note_declaration(i);
      if (declaration_ == i && at(i) == name) return true;
      if (size_t changed = changed_at(i); changed < tokens_.size() && at(changed) == name) return true;
    }
    return false;
  }

 private:
  std::string_view at(size_t i) const { return i < tokens_.size() ? tokens_[i].text : ""; }
  bool is_name(size_t i) const { return i < tokens_.size() && tokens_[i].is_name(); }
  bool touch(size_t i) const {  // This token and the next one are one operator.
    return i + 1 < tokens_.size() && tokens_[i].begin + 1 == tokens_[i + 1].begin;
  }

  std::string look_at(size_t i) const {
    if (is_one_of(at(i), {"break", "return", "goto", "throw", "exit", "abort"}))
      return concat("`", at(i), "` ends it early");
    if (is_changing_call(i)) return concat("`", at(i), "` changes what outlives an iteration");
    size_t changed = changed_at(i);
    if (changed >= tokens_.size() || declared_.contains(at(changed))) return {};
    if (at(changed) == induction_) return concat("the body changes `", induction_, "`");
    return concat("the body changes `", at(changed), "`, which outlives an iteration");
  }

  // The name that an operator at `i` changes; past the end when none does.
  size_t changed_at(size_t i) const {
    if (takes_address(i)) return i + 1;
    if (is_step(i)) return is_name(i + 2) ? i + 2 : root_before(i);
    return is_assignment(i) && i - 1 != declaration_ ? root_before(i) : tokens_.size();
  }

  // Methods and functions that change an object whose type the text does not show.
  bool is_changing_call(size_t i) const {
    if (at(i + 1) != "(") return false;
    if (is_one_of(at(i), {"swap", "exchange"})) return true;
    bool method = i > 0 && is_one_of(at(i - 1), {".", ">"});
    return method && is_one_of(at(i), {"push_back", "emplace_back", "pop_back", "insert", "erase", "clear", "resize",
                                       "reset", "push", "pop", "emplace"});
  }

  // "=" alone or as the end of "+=" and its like.
  bool is_assignment(size_t i) const {
    if (at(i) != "=" || (touch(i) && at(i + 1) == "=")) return false;
    bool joined = i > 0 && touch(i - 1);
    if (joined && is_one_of(at(i - 1), {"=", "!"})) return false;
    bool comparison = joined && is_one_of(at(i - 1), {"<", ">"}) && !(i > 1 && touch(i - 2) && at(i - 2) == at(i - 1));
    return !comparison && !(i > 0 && at(i - 1) == "[");
  }
  bool is_step(size_t i) const { return is_one_of(at(i), {"+", "-"}) && touch(i) && at(i + 1) == at(i); }
  // "&name" where no left operand stands.
  bool takes_address(size_t i) const {
    if (at(i) != "&" || i + 1 >= tokens_.size() || !tokens_[i + 1].is_name()) return false;
    return i > 0 && is_one_of(at(i - 1), {"(", ",", "=", "{", "return"});
  }

  // The first name of the expression that ends before `i`: "a" of "a.b[c] +=".
  size_t root_before(size_t i) const {
    size_t root = tokens_.size();
    int depth = 0;
    while (i-- > 0) {
      if (is_one_of(at(i), {"]", ")"})) depth++;
      if (is_one_of(at(i), {"[", "("}) && depth-- == 0) break;
      if (depth > 0) continue;
      if (is_one_of(at(i), {";", "{", "}", ",", "if", "else", "for", "while", "do", "case", "return"})) break;
      if (tokens_[i].is_name()) root = i;
    }
    return root;
  }

  // "TYPE name" before "=", "(", "{", ";" or ":" at the begin of a statement or header. What a reference refers to may
  // live outside, so assigning to one counts as a change.
  void note_declaration(size_t i) {
    if (i == 0 || !tokens_[i].is_name() || !is_one_of(at(i + 1), {"=", "(", "{", ";", ":", ","})) return;
    std::string_view before = at(i - 1);
    bool after_word = tokens_[i - 1].is_name() && !is_one_of(before, {"return", "else", "case", "delete", "new"});
    bool after_type = after_word || is_one_of(before, {"*", "&", ">"});
    if (!after_type || !is_at_begin(type_begin(i))) return;
    declaration_ = i;
    if (before != "&") declared_.insert(std::string(at(i)));
  }
  // Where the run of names, "::", "<...>", "*" and "&" before the name begins.
  size_t type_begin(size_t i) const {
    int depth = 0;
    size_t begin = i;
    while (begin > 0) {
      std::string_view text = at(begin - 1);
      if (text == ">") depth++;
      bool inside = depth > 0;
      if (text == "<") depth--;
      bool part = inside || tokens_[begin - 1].is_name() || is_one_of(text, {":", "*", "&", ">"});
      if (!part) break;
      begin--;
    }
    return begin;
  }
  // A type stands first in its statement or header, and its first word is a name.
  bool is_at_begin(size_t begin) const {
    if (begin >= tokens_.size() || !tokens_[begin].is_name()) return false;
    if (begin == 0 || is_one_of(at(begin - 1), {";", "{", "}"})) return true;
    return begin > 1 && at(begin - 1) == "(" && is_one_of(at(begin - 2), {"for", "if", "while"});
  }

  std::vector<Token> tokens_;
  std::string induction_;
  size_t declaration_ = SIZE_MAX;  // Index of the name declared last.
  std::set<std::string, std::less<>> declared_;
};

bool read_header(std::string_view header, LoopText& loop) {
  std::vector<std::string> parts = split(std::string(header), ';');
  if (parts.size() != 3) return false;
  std::string_view first = trim(parts[0]), middle = trim(parts[1]);
  size_t equals = first.find('=');
  if (equals == first.npos || trim(first.substr(equals + 1)) != "0") return false;
  std::string_view declared = trim(first.substr(0, equals));
  size_t name = declared.size();
  while (name > 0 && is_word(declared[name - 1])) name--;
  loop.type = trim(declared.substr(0, name));
  loop.name = declared.substr(name);
  if (loop.type.empty() || loop.name.empty() || !middle.starts_with(loop.name)) return false;
  std::string_view comparison = trim(middle.substr(loop.name.size()));
  size_t skip = comparison.starts_with("!=") ? 2 : comparison.starts_with("<") ? 1 : 0;
  loop.limit = trim(comparison.substr(skip));
  return skip > 0 && !loop.limit.empty() && loop.limit[0] != '=';
}

}  // namespace

std::optional<LoopText> read_counting_loop(std::string_view text, uint32_t begin, uint32_t end) {
  auto header = read_call(text, begin, "for");
  if (!header) return std::nullopt;
  LoopText loop;
  loop.header_begin = header->open;
  loop.header_end = header->close;
  if (!read_header(text.substr(header->open, header->close - header->open), loop)) return std::nullopt;
  loop.body_begin = static_cast<uint32_t>(skip_to_code(text, header->close + 1));
  if (loop.body_begin >= end) return std::nullopt;
  loop.body_end = end;
  return loop;
}

std::vector<std::string> names_in(std::string_view expression) {
  std::vector<std::string> names;
  std::vector<Token> tokens = tokens_of(expression);
  for (size_t i = 0; i < tokens.size(); i++)
    if (tokens[i].is_name() && (i == 0 || !is_one_of(tokens[i - 1].text, {".", ">", ":"})))
      names.emplace_back(tokens[i].text);
  return names;
}

bool changes_name(std::string_view text, const std::string& name) { return BodyReader(text, "").changes(name); }

std::string order_in_body(std::string_view body, const std::string& induction) {
  return BodyReader(body, induction).find_order();
}

}  // namespace cuco::rewrite
