#include "rewrite/launch_text.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "rewrite/source_scan.h"

namespace cuco::rewrite {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) at++;
  return at;
}

bool is_launch_mark(std::string_view text, size_t at) { return text.substr(at, 3) == "<<<"; }

// Past "<...>" of explicit template arguments.
size_t skip_template(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '<' || is_launch_mark(text, at)) return at;
  int depth = 0;
  for (size_t i = at; i < text.size() && text[i] != ';'; i++) {
    if (text[i] == '(') depth += 1000;
    if (text[i] == ')') depth -= 1000;
    if (text[i] == '<') depth++;
    if (text[i] == '>' && --depth == 0) return i + 1;
  }
  return at;
}

// The arguments from `begin` up to the closing text at depth 0, and where that is.
std::optional<size_t> read_list(std::string_view text, size_t begin, std::string_view closing,
                                std::vector<std::string>& items) {
  int depth = 0;
  size_t item = begin;
  for (size_t i = begin; i < text.size();) {
    if (size_t after = skip_opaque(text, i); after != i) {
      i = after;
      continue;
    }
    bool ends = depth == 0 && text.substr(i, closing.size()) == closing;
    if (ends || (depth == 0 && text[i] == ',')) {
      items.emplace_back(trim(text.substr(item, i - item)));
      item = i + 1;
    }
    if (ends) return i;
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') depth++;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') depth--;
    if (depth < 0) return std::nullopt;
    i++;
  }
  return std::nullopt;
}

size_t end_of_name(std::string_view text, size_t at) {
  while (at < text.size() && (is_word(text[at]) || text[at] == ':')) at++;
  return at;
}

// The next place where the word stands, outside of comments and strings.
size_t find_word(std::string_view text, std::string_view word, size_t from) {
  for (size_t i = from; i + word.size() <= text.size();) {
    if (size_t after = skip_opaque(text, i); after != i) {
      i = after;
      continue;
    }
    if (!is_word(text[i])) {
      i++;
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) end++;
    if (text.substr(i, end - i) == word) return i;
    i = end;
  }
  return text.npos;
}

constexpr std::string_view kBlockWords[] = {"blockIdx",           "gridDim", "this_grid",
                                            "cooperative_groups", "ctaid",   "nctaid"};

bool asks_for_block(std::string_view text, const std::vector<std::string>& functions) {
  auto found = [&](std::string_view word) { return mentions(text, word); };
  return std::any_of(std::begin(kBlockWords), std::end(kBlockWords), found) ||
         std::any_of(functions.begin(), functions.end(), found);
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

std::optional<LaunchText> read_launch(std::string_view text, uint32_t begin) {
  size_t mark = skip_space(text, skip_template(text, skip_space(text, end_of_name(text, begin))));
  if (!is_launch_mark(text, mark)) return std::nullopt;
  LaunchText launch;
  launch.begin = begin;
  launch.configured = static_cast<uint32_t>(mark + 3);
  std::optional<size_t> configured = read_list(text, mark + 3, ">>>", launch.configuration);
  if (!configured) return std::nullopt;
  launch.launched = static_cast<uint32_t>(*configured);
  size_t open = skip_space(text, *configured + 3);
  std::vector<std::string> arguments;
  if (open >= text.size() || text[open] != '(') return std::nullopt;
  std::optional<size_t> close = read_list(text, open + 1, ")", arguments);
  if (!close) return std::nullopt;
  launch.close = static_cast<uint32_t>(*close);
  launch.arguments = std::string(trim(text.substr(open + 1, *close - open - 1)));
  launch.has_arguments = !launch.arguments.empty();
  return launch;
}

KernelUses find_uses(std::string_view text, std::string_view name) {
  KernelUses uses;
  for (size_t at = find_word(text, name, 0); at != text.npos; at = find_word(text, name, at + name.size())) {
    if (auto launch = read_launch(text, static_cast<uint32_t>(at)))
      uses.launches.push_back(std::move(*launch));
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
  std::vector<std::string> parameters;
  if (open >= end || text[open] != '(') return std::nullopt;
  std::optional<size_t> close = read_list(text, open + 1, ")", parameters);
  if (!close) return std::nullopt;
  size_t brace = skip_space(text, *close + 1);
  if (brace >= end || text[brace] != '{') return std::nullopt;
  KernelText kernel;
  kernel.parameters_end = static_cast<uint32_t>(*close);
  kernel.has_parameters = !parameters.front().empty();
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
        bool known = std::find(found.begin(), found.end(), name) != found.end();
        std::string_view body = std::string_view(text).substr(function->begin, function->end - function->begin);
        if (name.empty() || known || !mentions(body, "__device__") || !asks_for_block(body, found)) continue;
        found.push_back(name);
        grew = true;
      }
  }
  return found;
}

}  // namespace cuco::rewrite
