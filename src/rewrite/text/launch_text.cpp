#include "rewrite/text/launch_text.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace cuco::rewrite {

namespace {

// Of the ")" that closes what opened before `at`.
std::optional<size_t> close_of(std::string_view text, size_t at) {
  int depth = 0;
  for (size_t i = next_code(text, at); i < text.size(); i = next_code(text, i + 1)) {
    if (text[i] == '(') depth++;
    if (text[i] == ')' && depth-- == 0) return i;
  }
  return std::nullopt;
}

bool is_launched(std::string_view text, size_t name_end) {
  size_t mark = text.find("<<<", name_end);
  if (mark == text.npos) return false;
  std::string_view between = trim(text.substr(name_end, mark - name_end));
  return between.empty() || (between.front() == '<' && between.back() == '>');
}

// The next place where the word stands, outside of comments and strings.
size_t find_word(std::string_view text, std::string_view word, size_t from) {
  for (size_t i = next_code(text, from); i + word.size() <= text.size();) {
    size_t end = i;
    while (end < text.size() && is_word(text[end])) end++;
    if (text.substr(i, end - i) == word) return i;
    i = next_code(text, std::max(end, i + 1));
  }
  return text.npos;
}

constexpr std::string_view kBlockWords[] = {"blockIdx",           "gridDim", "this_grid",
                                            "cooperative_groups", "ctaid",   "nctaid"};

bool asks_for_block(std::string_view text, const std::vector<std::string>& functions) {
  auto found = [&](std::string_view word) { return mentions(text, word); };
  return std::ranges::any_of(kBlockWords, found) || std::ranges::any_of(functions, found);
}

std::string name_before_parameters(std::string_view header) {
  size_t end = header.find('(');
  if (end == header.npos) return {};
  std::string_view before = trim(header.substr(0, end));
  size_t begin = before.size();
  while (begin > 0 && is_word(before[begin - 1])) begin--;
  return std::string(before.substr(begin));
}

}  // namespace

bool mentions(std::string_view text, std::string_view word) { return find_word(text, word, 0) != text.npos; }

KernelUses find_uses(std::string_view text, std::string_view name) {
  KernelUses uses;
  for (size_t at = find_word(text, name, 0); at != text.npos; at = find_word(text, name, at + name.size())) {
    auto launch = is_launched(text, at + name.size()) ? read_launch(text, static_cast<uint32_t>(at)) : std::nullopt;
    if (launch)
      uses.launches.push_back({static_cast<uint32_t>(at), std::move(*launch)});
    else if (size_t next = skip_space(text, at + name.size()); next < text.size() && text[next] == '(')
      uses.declaration_count++;
    else
      uses.has_others = true;
  }
  return uses;
}

std::optional<KernelText> read_kernel(std::string_view text, uint32_t begin, uint32_t end, std::string_view name) {
  size_t at = find_word(text.substr(0, end), name, begin);
  if (at == text.npos) return std::nullopt;
  size_t open = skip_space(text, at + name.size());
  if (open >= end || text[open] != '(') return std::nullopt;
  std::optional<size_t> close = close_of(text, open + 1);
  if (!close) return std::nullopt;
  size_t brace = skip_space(text, *close + 1);
  if (brace >= end || text[brace] != '{') return std::nullopt;
  KernelText kernel;
  kernel.name = static_cast<uint32_t>(at);
  kernel.parameters = static_cast<uint32_t>(open + 1);
  kernel.parameters_end = static_cast<uint32_t>(*close);
  kernel.has_parameters = !trim(text.substr(open + 1, *close - open - 1)).empty();
  kernel.body = static_cast<uint32_t>(brace + 1);
  kernel.text = std::string(text.substr(open, end - open));
  return kernel;
}

std::vector<std::string> functions_that_ask_for_block(const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  for (bool grew = true; grew;) {
    grew = false;
    for (const std::string& text : texts)
      for (size_t at = text.find('{'); at != text.npos;) {
        auto function = enclosing_function(text, static_cast<uint32_t>(at));
        at = text.find('{', function ? function->end : at + 1);
        if (!function || mentions(function->header, "__global__")) continue;
        std::string name = name_before_parameters(function->header);
        bool known = std::ranges::find(found, name) != found.end();
        std::string_view body = std::string_view(text).substr(function->begin, function->end - function->begin);
        if (name.empty() || known || !mentions(body, "__device__") || !asks_for_block(body, found)) continue;
        found.push_back(name);
        grew = true;
      }
  }
  return found;
}

}  // namespace cuco::rewrite
