#include "rewrite/text/source_scan.h"

#include <cctype>

#include "base/text.h"

namespace cuco::rewrite {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) at++;
  return at;
}

namespace {

// What a quote follows without a space: "1" of 1'000, "u8R" of a raw string.
std::string_view word_before(std::string_view text, size_t quote) {
  size_t begin = quote;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '\'')) begin--;
  return text.substr(begin, quote - begin);
}

// The quote stands in a number.
bool separates_digits(std::string_view text, size_t quote) {
  std::string_view before = word_before(text, quote);
  return !before.empty() && std::isdigit(static_cast<unsigned char>(before[0]));
}

bool begins_raw_string(std::string_view text, size_t quote) {
  std::string_view before = word_before(text, quote);
  return before == "R" || before == "LR" || before == "uR" || before == "UR" || before == "u8R";
}

// R"end(...)end", from its quote on.
size_t skip_raw_string(std::string_view text, size_t quote) {
  size_t open = std::min(text.find('(', quote), text.size());
  std::string close = concat(")", text.substr(quote + 1, open - quote - 1), "\"");
  size_t end = text.find(close, open);
  return end == text.npos ? text.size() : end + close.size();
}

}  // namespace

size_t skip_opaque(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") {
    size_t end = text.find("*/", at + 2);
    return end == text.npos ? text.size() : end + 2;
  }
  char quote = text[at];
  if ((quote != '"' && quote != '\'') || (quote == '\'' && separates_digits(text, at))) return at;
  if (quote == '"' && begins_raw_string(text, at)) return skip_raw_string(text, at);
  for (size_t i = at + 1; i < text.size(); i++) {
    if (text[i] == '\\')
      i++;
    else if (text[i] == quote)
      return i + 1;
  }
  return text.size();
}

size_t next_code(std::string_view text, size_t at) {
  for (size_t after = at; at < text.size(); at = after)
    if (after = skip_opaque(text, at); after == at) break;
  return at;
}

namespace {

bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

Item item_at(std::string_view text, size_t begin, size_t end) {
  std::string_view inner = trim(text.substr(begin, end - begin));
  if (inner.empty()) return {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin), {}};
  auto first = static_cast<uint32_t>(inner.data() - text.data());
  return {first, static_cast<uint32_t>(first + inner.size()), std::string(inner)};
}

std::string_view line_at(std::string_view text, size_t begin) {
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_directive(std::string_view line, std::string_view word) {
  line = trim(line);
  if (line.empty() || line[0] != '#') return false;
  return trim(line.substr(1)).starts_with(word);
}

}  // namespace

size_t skip_template_arguments(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '<') return at;
  int depth = 0;
  for (size_t i = at; i < text.size(); i++) {
    if (text[i] == '<') depth++;
    if (text[i] == '>' && --depth == 0) return i + 1;
  }
  return at;
}

std::optional<uint32_t> read_list(std::string_view text, size_t open, std::string_view end, std::vector<Item>& items,
                                  Angles angles) {
  bool encloses = angles == Angles::Enclose;
  int depth = 0;
  size_t begin = open;
  for (size_t i = next_code(text, open); i < text.size(); i = next_code(text, i + 1)) {
    bool closed = depth == 0 && !end.empty() && text.substr(i, end.size()) == end;
    if (closed || (depth == 0 && text[i] == ',')) {
      items.push_back(item_at(text, begin, i));
      begin = i + 1;
      if (closed) return static_cast<uint32_t>(i);
    }
    if (opens(text[i]) || (encloses && text[i] == '<')) depth++;
    if (closes(text[i]) || (encloses && text[i] == '>')) depth--;
  }
  if (!end.empty()) return std::nullopt;
  items.push_back(item_at(text, begin, text.size()));
  return static_cast<uint32_t>(text.size());
}

std::optional<CallText> read_call(std::string_view text, uint32_t begin, std::string_view callee) {
  size_t at = begin;
  if (text.substr(at, 2) == "::") at = skip_space(text, at + 2);
  if (text.substr(at, callee.size()) != callee) return std::nullopt;
  CallText call;
  call.callee_begin = begin;
  call.callee_end = static_cast<uint32_t>(at + callee.size());
  size_t open = skip_space(text, skip_template_arguments(text, skip_space(text, call.callee_end)));
  if (open >= text.size() || text[open] != '(') return std::nullopt;
  call.open = static_cast<uint32_t>(open + 1);
  std::vector<Item> items;
  std::optional<uint32_t> close = read_list(text, call.open, ")", items);
  if (!close) return std::nullopt;
  call.close = *close;
  for (Item& item : items) call.arguments.push_back(std::move(item.text));
  return call;
}

std::optional<LaunchText> read_launch(std::string_view text, uint32_t begin) {
  size_t open = text.find("<<<", begin);
  if (open == text.npos || text.substr(begin, open - begin).find_first_of(";{}(") != text.npos) return std::nullopt;
  LaunchText launch;
  std::optional<uint32_t> close = read_list(text, open + 3, ">>>", launch.configuration);
  if (!close || launch.configuration.size() > 4) return std::nullopt;
  size_t arguments = skip_space(text, *close + 3);
  if (arguments >= text.size() || text[arguments] != '(') return std::nullopt;
  if (!read_list(text, arguments + 1, ")", launch.arguments)) return std::nullopt;
  return launch;
}

bool is_loop(std::string_view text, uint32_t begin) {
  size_t end = begin;
  while (end < text.size() && is_word(text[end])) end++;
  std::string_view word = text.substr(begin, end - begin);
  return word == "for" || word == "while" || word == "do";
}

// Backwards a comment cannot be told from code without reading from the start, so one that ends in one of the
// characters below counts as what it ends in; anything else makes braces, which are never wrong around a statement that
// declares nothing.
bool stands_in_block(std::string_view text, uint32_t begin) {
  size_t at = begin;
  while (at > 0) {
    size_t line = text.rfind('\n', at - 1);
    line = line == text.npos ? 0 : line + 1;
    std::string_view before = trim(text.substr(line, at - line));
    before = trim(before.substr(0, before.find("//")));
    if (!before.empty() && before[0] != '#')
      return before.ends_with(";") || before.ends_with("{") || before.ends_with("}");
    if (line == 0) break;
    at = line - 1;
  }
  return true;
}

std::optional<uint32_t> statement_end(std::string_view text, uint32_t at) {
  int depth = 0;
  for (size_t i = next_code(text, at); i < text.size(); i = next_code(text, i + 1)) {
    // A statement may begin inside the brackets of a macro around the call: those close without having opened.
    if (text[i] == ';' && depth <= 0) return static_cast<uint32_t>(i + 1);
    if (text[i] == '}' && depth <= 0) return std::nullopt;
    if (opens(text[i])) depth++;
    if (closes(text[i])) depth--;
  }
  return std::nullopt;
}

namespace {

// Braces that are open at `end` and were not at `begin`.
int open_braces(std::string_view text, size_t begin, size_t end) {
  int open = 0;
  for (size_t at = begin; at < end;) {
    size_t after = skip_opaque(text, at);
    if (after == at) open += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    at = std::max(after, at + 1);
  }
  return open;
}

}  // namespace

uint32_t after_includes(std::string_view text, uint32_t limit) {
  uint32_t place = 0;
  int depth = 0;
  bool pending = false;  // An include was seen inside a condition or a block, such as extern "C": its end is the place.
  for (size_t begin = 0; begin < text.size() && begin < limit;) {
    std::string_view line = line_at(text, begin);
    size_t next = std::min(text.size(), begin + line.size() + 1);
    if (is_directive(line, "if")) depth++;
    if (is_directive(line, "endif")) depth--;
    if (is_directive(line, "include")) pending = true;
    if (pending && depth == 0 && open_braces(text, 0, next) == 0) {
      place = static_cast<uint32_t>(next);
      pending = false;
    }
    begin = next;
  }
  return place;
}

// Past a directive, with the lines that continue it.
size_t skip_directive(std::string_view text, size_t at) {
  size_t end = text.find('\n', at);
  while (end != text.npos && trim(text.substr(at, end - at)).ends_with("\\")) {
    at = end + 1;
    end = text.find('\n', at);
  }
  return std::min(end, text.size());
}

size_t skip_to_code(std::string_view text, size_t at) {
  while (at < text.size()) {
    size_t next = skip_space(text, at);
    if (next < text.size() && text[next] == '#') next = skip_directive(text, next);
    if (next < text.size() && text.substr(next, 1) == "/") next = skip_opaque(text, next);
    if (next == at) return at;
    at = next;
  }
  return at;
}

namespace {

// Braces that hold functions instead of being one's body.
bool is_container(std::string_view header) {
  for (std::string_view word : {"namespace", "extern", "struct", "class", "union", "enum"})
    if (header.starts_with(word) && header.find('(') == header.npos) return true;
  return header.find('(') == header.npos;
}

size_t end_of_braces(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = next_code(text, open); i < text.size(); i = next_code(text, i + 1)) {
    if (text[i] == '#')
      i = skip_directive(text, i) - 1;
    else
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace

std::optional<FunctionText> enclosing_function(std::string_view text, uint32_t at) {
  size_t begin = skip_to_code(text, 0);
  for (size_t i = begin; i < text.size() && i <= at;) {
    size_t after = text[i] == '#' ? skip_to_code(text, i) : skip_opaque(text, i);
    if (after != i) {
      i = after;
      continue;
    }
    if (text[i] == '{') {
      std::string_view header = trim(text.substr(begin, i - begin));
      size_t end = end_of_braces(text, i);
      bool is_function = !is_container(header);
      if (is_function && at < end)
        return FunctionText{static_cast<uint32_t>(begin), static_cast<uint32_t>(end), std::string(header)};
      i = is_function || end <= at ? end : i + 1;
      begin = skip_to_code(text, i);
      continue;
    }
    i++;
    if (text[i - 1] == ';' || text[i - 1] == '}') begin = skip_to_code(text, i);
  }
  return std::nullopt;
}

std::string indentation(std::string_view text, uint32_t at) {
  size_t begin = text.rfind('\n', at == 0 ? 0 : at - 1);
  begin = begin == text.npos ? 0 : begin + 1;
  size_t end = begin;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) end++;
  return std::string(text.substr(begin, end - begin));
}

}  // namespace cuco::rewrite
