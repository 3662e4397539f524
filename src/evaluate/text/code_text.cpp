#include "evaluate/text/code_text.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

bool is_word_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_'; }

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)); }

// One past the literal that begins at `at` with its quote. A quote between digits separates them: 1'000.
size_t literal_end(const std::string& text, size_t at) {
  char quote = text[at];
  if (quote == '\'' && at > 0 && is_word_letter(text[at - 1])) return at + 1;
  for (size_t i = at + 1; i < text.size() && text[i] != '\n'; i++) {
    if (text[i] == '\\')
      i++;
    else if (text[i] == quote)
      return i + 1;
  }
  return std::min(at + 1, text.size());
}

// One past the raw string R"delimiter( ... )delimiter" whose quote is at `at`.
size_t raw_end(const std::string& text, size_t at) {
  size_t open = text.find('(', at);
  if (open == text.npos) return text.size();
  std::string close = concat(")", text.substr(at + 1, open - at - 1), "\"");
  size_t end = text.find(close, open);
  return end == text.npos ? text.size() : end + close.size();
}

// One past what hides text and begins at `at`, or `at`.
size_t hidden_end(const std::string& text, size_t at) {
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") == 0) {
    size_t end = text.find("*/", at + 2);
    return end == text.npos ? text.size() : end + 2;
  }
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') return raw_end(text, at);
  return text[at] == '"' || text[at] == '\'' ? literal_end(text, at) : at;
}

size_t skip_spaces(std::string_view code, size_t at) {
  while (at < code.size() && is_space(code[at])) at++;
  return at;
}

// The statement up to `at`, from the last ; { or } on.
std::string_view statement_before(std::string_view code, size_t at) {
  size_t begin = code.substr(0, at).find_last_of(";{}");
  return code.substr(begin == code.npos ? 0 : begin + 1, at - (begin == code.npos ? 0 : begin + 1));
}

bool is_rebound_at(std::string_view code, std::string_view name, size_t at) {
  std::string_view before = statement_before(code, at);
  while (!before.empty() && is_space(before.back())) before.remove_suffix(1);
  bool address_taken = before.ends_with('&') && !before.ends_with("&&");
  if (address_taken || find_word(before, "swap") != before.npos) return true;
  size_t after = skip_spaces(code, at + name.size());
  bool assigned = code.substr(after, 1) == "=" && code.substr(after, 2) != "==";
  return assigned && before.empty();
}

}  // namespace

std::string without_comments(const std::string& text) {
  std::string code = text;
  for (size_t at = 0; at < text.size();) {
    size_t end = hidden_end(text, at);
    for (size_t i = at; i < end; i++)
      if (code[i] != '\n') code[i] = ' ';
    at = std::max(end, at + 1);
  }
  return code;
}

bool is_balanced(std::string_view code) {
  int depth = 0;
  for (char letter : code) {
    depth += letter == '{' ? 1 : letter == '}' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

size_t find_word(std::string_view code, std::string_view word, size_t from) {
  for (size_t at = code.find(word, from); at != code.npos; at = code.find(word, at + 1)) {
    bool begins = at == 0 || !is_word_letter(code[at - 1]);
    bool ends = at + word.size() == code.size() || !is_word_letter(code[at + word.size()]);
    if (begins && ends) return at;
  }
  return code.npos;
}

bool may_rebind(std::string_view code, std::string_view name) {
  for (size_t at = find_word(code, name); at != code.npos; at = find_word(code, name, at + 1))
    if (is_rebound_at(code, name, at)) return true;
  return false;
}

std::string filled_by(std::string_view code, std::string_view call) {
  for (size_t at = find_word(code, call); at != code.npos; at = find_word(code, call, at + 1)) {
    std::string_view arguments = code.substr(at, code.find(')', at) - at);
    size_t address = arguments.find('&');
    if (address == arguments.npos || find_word(arguments, "MPI_COMM_WORLD") == arguments.npos) continue;
    return std::string(trim(arguments.substr(address + 1)));
  }
  return "";
}

}  // namespace cuco::evaluate
