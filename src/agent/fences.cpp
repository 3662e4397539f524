#include "agent/fences.h"

#include <utility>

#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr size_t kTicksLeast = 3;

size_t backticks_at_start(const std::string& line) {
  size_t count = line.find_first_not_of('`');
  return count == std::string::npos ? line.size() : count;
}

bool closes_fence(const std::string& line, size_t ticks) {
  return backticks_at_start(line) >= ticks && trim(line).size() >= ticks &&
         trim(line).find_first_not_of('`') == std::string_view::npos;
}

}  // namespace

std::vector<std::string> reply_lines(std::string_view reply) {
  std::vector<std::string> lines = split(reply, '\n');
  for (std::string& line : lines)
    if (line.ends_with('\r')) line.pop_back();
  return lines;
}

std::optional<std::string> marked_word(const std::string& line, std::string_view mark) {
  size_t at = line.find(mark);
  if (at == std::string::npos || line.find_first_not_of("*#> `") != at) return std::nullopt;
  std::string_view rest = trim(std::string_view(line).substr(at + mark.size()));
  while (!rest.empty() && std::string_view("*` ").find(rest.back()) != std::string_view::npos) rest.remove_suffix(1);
  while (!rest.empty() && std::string_view("*` ").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  return std::string(rest);
}

bool opens_fence(const std::string& line) { return backticks_at_start(line) >= kTicksLeast; }

Result<std::vector<Fence>> find_fences(const std::vector<std::string>& lines, std::string_view mark) {
  std::vector<Fence> fences;
  std::string label;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (auto named = marked_word(lines[i], mark)) label = *named;
    if (!opens_fence(lines[i])) continue;
    size_t ticks = backticks_at_start(lines[i]);
    Fence fence{std::exchange(label, {}), ""};
    size_t opened = i++;
    while (i < lines.size() && !closes_fence(lines[i], ticks)) fence.text += lines[i++] + "\n";
    if (i == lines.size())
      return Error{concat("the code block that opens in line ", opened + 1, " of the reply is never closed")};
    fences.push_back(std::move(fence));
  }
  return fences;
}

Status check_complete(const std::string& before, const std::string& text, std::string_view what) {
  std::vector<std::string> lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trim(lines[i]);
    bool elided = line.starts_with("// ...") || line.starts_with("/* ...") || line == "...";
    if (elided && before.find(line) == std::string::npos)
      return Error{concat("line ", i + 1, " of ", what, " leaves code out: `", line,
                          "`; send every line, or SEARCH/REPLACE edits")};
  }
  return Done{};
}

}  // namespace cuco::agent
