#include "evaluate/plain/region.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/diff.h"
#include "base/text.h"
#include "evaluate/text/code_text.h"

namespace cuco::evaluate {

Result<PlainRegion> parse_plain_region(const std::string& text) {
  PlainRegion region;
  std::istringstream in(text);
  std::getline(in, region.file);
  if (!(in >> region.begin >> region.end >> region.own_calls >> region.by_events >> region.is_last))
    return Error{"where its region stands was not found"};
  std::getline(in >> std::ws, region.set_up);
  return region;
}

std::string to_text(const PlainRegion& region) {
  return concat(region.file, "\n", region.begin, " ", region.end, " ", region.own_calls, " ", region.by_events ? 1 : 0,
                " ", region.is_last ? 1 : 0, "\n", region.set_up, "\n");
}

namespace {

// A text and where its lines begin.
struct LinedText {
  explicit LinedText(const std::string& text) : lines(views_of(text)) {
    size_t at = 0;
    for (std::string_view line : lines) starts.push_back(std::exchange(at, at + line.size() + 1));
  }

  static std::vector<std::string_view> views_of(std::string_view text) {
    std::vector<std::string_view> views;
    for (size_t at = 0, end = 0; end != text.npos; at = end + 1)
      views.push_back(text.substr(at, (end = text.find('\n', at)) - at));
    return views;
  }

  size_t line_of(size_t at) const {
    return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), at) - starts.begin()) - 1;
  }
  size_t first_letter(size_t line) const {
    return starts[line] + std::min(lines[line].find_first_not_of(" \t"), lines[line].size());
  }
  size_t end_of(size_t line) const { return starts[line] + lines[line].size(); }

  std::vector<std::string_view> lines;
  std::vector<size_t> starts;
};

// The change that a line of the text before is part of, or how far all lines up to it have moved.
struct Fate {
  std::optional<LineChange> change;
  size_t line = 0;  // Where it is now, if it is unchanged.
};

Fate fate_of(size_t line, const std::vector<LineChange>& changes) {
  Fate fate{std::nullopt, line};
  for (const LineChange& change : changes) {
    if (change.before_begin > line) break;
    if (line < change.before_begin + change.before_count) return {change, 0};
    fate.line = line - (change.before_begin + change.before_count) + change.after_begin + change.after_count;
  }
  return fate;
}

bool ends_statement(char letter) { return letter == ';' || letter == '{' || letter == '}'; }

// Whether the line that holds `at` is one of the preprocessor.
bool is_directive(std::string_view code, size_t at) {
  size_t line = code.rfind('\n', at) == code.npos ? 0 : code.rfind('\n', at) + 1;
  size_t first = code.find_first_not_of(" \t", line);
  return first != code.npos && code[first] == '#';
}

// The first letter of the statement that holds `at`.
size_t statement_begin(std::string_view code, size_t at) {
  int depth = 0;
  while (at > 0) {
    char letter = code[at - 1];
    bool stops = (ends_statement(letter) && depth == 0) || (letter == '\n' && at > 1 && is_directive(code, at - 2));
    if (stops) break;
    depth += letter == ')' ? 1 : letter == '(' && depth > 0 ? -1 : 0;
    at--;
  }
  return std::min(code.find_first_not_of(" \t\r\n", at), code.size());
}

// Behind the semicolon of the statement that `at` lies in or ends; npos when a block comes first.
size_t statement_end(std::string_view code, size_t at) {
  if (at > 0 && (code[at - 1] == ';' || code[at - 1] == '}')) return at;
  size_t end = code.find_first_of(";{}", at);
  return end == code.npos || code[end] != ';' ? code.npos : end + 1;
}

// Behind the brace that closes as many blocks as are open, from `at` on.
size_t closing(std::string_view code, size_t at, int open) {
  for (; at < code.size() && open > 0; at++) open += code[at] == '{' ? 1 : code[at] == '}' ? -1 : 0;
  return open == 0 ? at : code.npos;
}

// Behind what may follow the end of an `if`: its other branches.
size_t after_branches(std::string_view code, size_t end) {
  for (;;) {
    size_t next = code.find_first_not_of(" \t\r\n", end);
    if (next == code.npos || find_word(code, "else", next) != next) return end;
    size_t body = code.find_first_of("{;", next);
    if (body == code.npos) return end;
    end = code[body] == ';' ? body + 1 : closing(code, body + 1, 1);
    if (end == code.npos) return end;
  }
}

// The brace of the block that `at` stands in; npos outside of all.
size_t enclosing_block(std::string_view code, size_t at) {
  int depth = 0;
  while (at-- > 0) {
    if (code[at] == '{' && depth-- == 0) return at;
    if (code[at] == '}') depth++;
  }
  return code.npos;
}

int lowest_depth(std::string_view code) {
  int depth = 0, lowest = 0;
  for (char letter : code) lowest = std::min(lowest, depth += letter == '{' ? 1 : letter == '}' ? -1 : 0);
  return lowest;
}

// An end that stands in a block of its own, under a condition or not, takes the whole block with it. Only these: what
// stands in a loop is not done once a call.
std::optional<TextSpan> in_one_block(std::string_view code, TextSpan span) {
  while (lowest_depth(code.substr(span.begin, span.end - span.begin)) < 0) {
    size_t block = enclosing_block(code, span.begin);
    if (block == code.npos) return std::nullopt;
    span.begin = statement_begin(code, block);
    std::string_view head = code.substr(span.begin, block - span.begin);
    if (!head.empty() && find_word(head, "if") != 0) return std::nullopt;
  }
  std::string_view text = code.substr(span.begin, span.end - span.begin);
  int open = static_cast<int>(std::count(text.begin(), text.end(), '{') - std::count(text.begin(), text.end(), '}'));
  if (open > 0) span.end = closing(code, span.end, open);
  if (span.end != code.npos) span.end = after_branches(code, span.end);
  return span.end == code.npos ? std::nullopt : std::optional(span);
}

}  // namespace

std::optional<TextSpan> whole_statements(std::string_view code, const PlainRegion& region) {
  TextSpan span = {statement_begin(code, region.begin), statement_end(code, region.end)};
  return span.end == code.npos ? std::nullopt : in_one_block(code, span);
}

PlainRegion carried_over(PlainRegion region, const std::string& original, const std::string& made) {
  LinedText before(original), after(made);
  std::vector<LineChange> changes = diff_lines(before.lines, after.lines);
  size_t first = before.line_of(region.begin), last = before.line_of(region.end > 0 ? region.end - 1 : 0);
  Fate begin = fate_of(first, changes), end = fate_of(last, changes);
  size_t behind_last = region.end - before.starts[last];
  region.begin = begin.change ? after.first_letter(std::min(begin.change->after_begin, after.lines.size() - 1))
                              : after.starts[begin.line] + (region.begin - before.starts[first]);
  if (end.change) {
    size_t lines = end.change->after_begin + end.change->after_count;
    region.end = lines == 0 ? 0 : after.end_of(lines - 1);
  } else {
    region.end = after.starts[end.line] + behind_last;
  }
  return region;
}

// A jump back, not a loop around the region: what the region declares is there after it, and it may return.
Result<std::string> with_marks(const std::string& text, const PlainRegion& region) {
  std::string code = without_comments(text);
  if (region.begin > region.end || region.end > code.size()) return Error{"its region lies outside of its file"};
  for (const char* mark : {"cuco_region", "cuco_region_begins", "cuco_timed_region_begins", "cuco_region_goes_on",
                           "cuco_last_region_goes_on"})
    if (find_word(code, mark) != code.npos) return Error{concat("it uses the name ", mark, " itself")};
  std::optional<TextSpan> span = whole_statements(code, region);
  if (!span) return Error{"its region begins and ends in different blocks"};
  return concat(text.substr(0, span->begin),
                "cuco_region: ", region.by_events ? "cuco_region_begins(); " : "cuco_timed_region_begins(); ",
                text.substr(span->begin, span->end - span->begin), " if (cuco_", region.is_last ? "last_" : "",
                "region_goes_on()) goto cuco_region;", text.substr(span->end));
}

}  // namespace cuco::evaluate
