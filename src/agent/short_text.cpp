#include "agent/short_text.h"

#include <algorithm>
#include <cctype>

namespace cuco::agent {

namespace {

constexpr size_t kEnd = std::string_view::npos;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

size_t line_end(std::string_view text, size_t at) {
  size_t newline = text.find('\n', at);
  return newline == kEnd ? text.size() : newline + 1;
}

size_t quoted_end(std::string_view text, size_t at) {
  char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// Behind a comment or a literal that begins here; `at` when none does.
size_t skipped(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "//") return line_end(text, at);
  if (text.substr(at, 2) == "/*") return std::min(text.find("*/", at), text.size() - 2) + 2;
  if (text[at] == '"') return quoted_end(text, at);
  // A quote behind a digit separates digits.
  if (text[at] == '\'' && (at == 0 || !is_word(text[at - 1]))) return quoted_end(text, at);
  return at;
}

// Behind what closes the bracket at `open`, or the end of the text.
size_t closed(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size();) {
    if (size_t behind = skipped(text, at); behind != at) {
      at = behind;
      continue;
    }
    char c = text[at++];
    if (c == '{' || c == '(') ++depth;
    if ((c == '}' || c == ')') && --depth == 0) return at;
  }
  return text.size();
}

std::string without_comments(std::string_view text) {
  std::string code;
  for (size_t at = 0; at < text.size();) {
    size_t behind = skipped(text, at);
    if (behind == at)
      code += text[at++];
    else
      at = behind;
  }
  return code;
}

std::string_view trimmed(std::string_view code) {
  size_t begin = code.find_first_not_of(" \t\n");
  return begin == kEnd ? std::string_view() : code.substr(begin, code.find_last_not_of(" \t\n") - begin + 1);
}

// "template <typename T>" tells nothing about what is declared.
std::string_view without_template(std::string_view code) {
  code = trimmed(code);
  if (!code.starts_with("template")) return code;
  int depth = 0;
  for (size_t at = code.find('<'); at < code.size(); ++at) {
    if (code[at] == '<') ++depth;
    if (code[at] == '>' && --depth == 0) return without_template(code.substr(at + 1));
  }
  return code;
}

std::string first_word(std::string_view code) {
  size_t end = 0;
  while (end < code.size() && is_word(code[end])) ++end;
  return std::string(code.substr(0, end));
}

bool is_type_word(const std::string& word) {
  return word == "struct" || word == "class" || word == "enum" || word == "union";
}

bool opens_type(std::string_view code) { return is_type_word(first_word(without_template(code))); }
bool opens_namespace(std::string_view code) { return first_word(trimmed(code)) == "namespace"; }
bool opens_body(std::string_view code) { return !opens_type(code) && code.find('(') != kEnd; }

// Where one item of a namespace, or of a type, ends.
struct Item {
  size_t begin = 0, end = 0;
  bool in_namespace = false;
};

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<Item> split() {
    while (at_ < text_.size()) step();
    if (begin_ < text_.size()) end_item(text_.size(), false);
    return items_;
  }

 private:
  void step() {
    if (text_[at_] == '#' && is_line_begin()) return end_item(directive_end(), false);
    if (size_t behind = skipped(text_, at_); behind != at_) {
      at_ = behind;
      return;
    }
    switch (text_[at_]) {
      case '(':
        at_ = closed(text_, at_);
        return;
      case '{':
        return open();
      case '}':
        depth_ = std::max(0, depth_ - 1);
        return end_item(at_ + 1, false);
      case ';':
        return end_item(at_ + 1, depth_ > 0);
      default:
        ++at_;
    }
  }

  void open() {
    std::string head = without_comments(text_.substr(begin_, at_ - begin_));
    if (opens_namespace(head)) {
      ++depth_;
      return end_item(at_ + 1, false);
    }
    bool body = opens_body(head);
    at_ = closed(text_, at_);
    if (body) end_item(at_, depth_ > 0);
  }

  void end_item(size_t end, bool in_namespace) {
    end = with_remark(end);
    items_.push_back({begin_, end, in_namespace});
    begin_ = at_ = end;
  }

  // A comment behind an item on its last line speaks of it.
  size_t with_remark(size_t end) const {
    size_t next = text_.find_first_not_of(' ', end);
    return next != kEnd && text_.substr(next, 2) == "//" ? line_end(text_, next) : end;
  }

  bool is_line_begin() const { return at_ == 0 || text_[at_ - 1] == '\n'; }

  size_t directive_end() const {
    size_t end = line_end(text_, at_);
    while (end < text_.size() && end >= 2 && text_[end - 2] == '\\') end = line_end(text_, end);
    return end;
  }

  std::string_view text_;
  std::vector<Item> items_;
  size_t at_ = 0, begin_ = 0;
  int depth_ = 0;
};

std::string_view text_of(std::string_view text, const Item& item) {
  return text.substr(item.begin, item.end - item.begin);
}

// The word that ends at `end`, spaces apart.
std::string word_before(std::string_view code, size_t end) {
  while (end > 0 && code[end - 1] == ' ') --end;
  size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  return std::string(code.substr(begin, end - begin));
}

std::vector<std::string> words_of(std::string_view code) {
  std::vector<std::string> words;
  for (size_t at = 0; at < code.size(); ++at) {
    if (!is_word(code[at])) continue;
    words.push_back(first_word(code.substr(at)));
    at += words.back().size();
  }
  return words;
}

std::vector<std::string> variables_of(std::string_view code) {
  std::vector<std::string> names;
  for (size_t at = 0; at < code.size(); ++at)
    if (code[at] == '=' || code[at] == ';' || code[at] == '[' || code[at] == '{')
      names.push_back(word_before(code, at));
  return names;
}

// Words with two underscores lead a declaration: __launch_bounds__(256).
std::string function_of(std::string_view code) {
  for (size_t at = code.find('('); at != kEnd; at = code.find('(', at + 1))
    if (std::string word = word_before(code, at); !word.starts_with("__") && !word.empty()) return word;
  return {};
}

std::vector<std::string> declared_in(std::string_view item) {
  std::string code = without_comments(item);
  std::string_view bare = without_template(code);
  std::string first = first_word(bare);
  if (is_type_word(first) || first == "using") {
    std::vector<std::string> words = words_of(bare);
    size_t name = words.size() > 2 && is_type_word(words[1]) ? 2 : 1;
    return words.size() > name ? std::vector<std::string>{words[name]} : std::vector<std::string>();
  }
  size_t paren = bare.find('('), equals = bare.find('=');
  if (paren != kEnd && paren < equals) return {function_of(bare)};
  return variables_of(bare);
}

// A constructor's initialisers belong to its body.
std::string_view signature(std::string_view head) {
  size_t paren = head.find('(');
  size_t behind = paren == kEnd ? head.size() : closed(head, paren);
  size_t colon = head.find(" : ", behind);
  return colon == kEnd ? head : head.substr(0, colon);
}

// The next of "{};" that is code and stands in no brackets, or the end of the text.
size_t next_mark(std::string_view text, size_t at) {
  while (at < text.size() && std::string_view("{};").find(text[at]) == kEnd) {
    size_t behind = skipped(text, at);
    at = behind != at ? behind : text[at] == '(' ? closed(text, at) : at + 1;
  }
  return at;
}

std::string declaration(std::string_view head) {
  std::string_view kept = signature(head);
  return std::string(kept.substr(0, kept.find_last_not_of(" \n") + 1)) + ";";
}

std::string without_bodies(std::string_view text) {
  std::string code;
  size_t begin = 0;
  for (size_t at = next_mark(text, 0); at < text.size(); at = next_mark(text, at)) {
    std::string_view head = text.substr(begin, at - begin);
    std::string bare = text[at] == '{' ? without_comments(head) : std::string();
    if (text[at] == '{' && opens_body(bare)) {
      code += declaration(head);
      begin = at = closed(text, at);
    } else if (text[at] == '{' && !opens_type(bare)) {
      at = closed(text, at);
    } else {
      code += text.substr(begin, ++at - begin);
      begin = at;
    }
  }
  return code + std::string(text.substr(begin));
}

bool declares(std::string_view item, const std::set<std::string>& names) {
  std::vector<std::string> declared = declared_in(item);
  return std::any_of(declared.begin(), declared.end(), [&](const std::string& name) { return names.contains(name); });
}

bool has_code(std::string_view item) {
  std::string code = without_comments(item);
  std::string_view left = trimmed(code);
  return !left.empty() && left[0] != '#' && left[0] != '}' && !opens_namespace(left);
}

}  // namespace

std::set<std::string> identifiers_in(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  return {words.begin(), words.end()};
}

std::set<std::string> needed_names(const std::vector<std::string_view>& libraries, std::set<std::string> used) {
  for (size_t before = 0; before != used.size();) {
    before = used.size();
    for (std::string_view library : libraries)
      for (const Item& item : Splitter(library).split())
        if (item.in_namespace && declares(text_of(library, item), used))
          used.merge(identifiers_in(without_comments(without_bodies(text_of(library, item)))));
  }
  return used;
}

std::string in_short(std::string_view text, const std::set<std::string>& names) {
  std::string shown;
  for (const Item& item : Splitter(text).split()) {
    std::string_view own = text_of(text, item);
    if (!item.in_namespace)
      shown += own;
    else if (declares(own, names))
      shown += without_bodies(own);
  }
  return shown;
}

bool is_library(std::string_view text) {
  std::vector<Item> items = Splitter(text).split();
  return std::any_of(items.begin(), items.end(),
                     [&](const Item& item) { return item.in_namespace && text_of(text, item).find('{') != kEnd; }) &&
         std::none_of(items.begin(), items.end(),
                      [&](const Item& item) { return !item.in_namespace && has_code(text_of(text, item)); });
}

}  // namespace cuco::agent
