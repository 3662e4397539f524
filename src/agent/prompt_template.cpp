#include "agent/prompt_template.h"

#include <algorithm>
#include <functional>

#include "base/assert.h"
#include "base/files.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr std::string_view kSystemMark = "## system\n";
constexpr std::string_view kUserMark = "\n## user\n";

// `text` with every {{name}} replaced by `value_of(name, offset)`.
std::string expand(const std::string& text, const std::function<std::string(const std::string&, size_t)>& value_of) {
  std::string expanded;
  size_t at = 0;
  for (size_t open; (open = text.find("{{", at)) != std::string::npos;) {
    size_t close = text.find("}}", open);
    if (close == std::string::npos) break;
    expanded += text.substr(at, open - at);
    expanded += value_of(text.substr(open + 2, close - open - 2), open);
    at = close + 2;
  }
  return expanded + text.substr(at);
}

size_t line_at(const std::string& text, size_t offset) {
  return 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(offset), '\n'));
}

Status check_names(const std::string& path, const std::string& text, const std::vector<std::string>& names) {
  std::vector<std::string> missing = names;
  std::string wrong;
  expand(text, [&](const std::string& name, size_t offset) {
    std::erase(missing, name);
    bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && wrong.empty())
      wrong =
          concat(path, ":", line_at(text, offset), ": unknown placeholder {{", name, "}}; known: ", join(names, ", "));
    return std::string();
  });
  if (!wrong.empty()) return Error{wrong};
  if (!missing.empty()) return Error{concat(path, ": the placeholder {{", missing[0], "}} is used nowhere; add it")};
  return Done{};
}

}  // namespace

Result<PromptTemplate> PromptTemplate::parse(const std::string& path, const std::string& text,
                                             const std::vector<std::string>& names) {
  size_t user = text.find(kUserMark);
  if (!text.starts_with(kSystemMark) || user == std::string::npos)
    return Error{concat(path, ":1: a prompt begins with the line `## system` and has a line `## user`")};
  CUCO_CHECK(check_names(path, text, names));
  PromptTemplate prompt;
  prompt.system_ = trim(std::string_view(text).substr(kSystemMark.size(), user - kSystemMark.size() + 1));
  prompt.user_ = trim(std::string_view(text).substr(user + kUserMark.size()));
  return prompt;
}

Result<PromptTemplate> PromptTemplate::load(const std::filesystem::path& share, const std::string& role,
                                            const std::vector<std::string>& names) {
  std::filesystem::path path = share / "prompts" / (role + ".txt");
  CUCO_TRY(std::string text, read_file(path));
  return parse(path.string(), text, names);
}

FilledPrompt PromptTemplate::fill(const std::map<std::string, std::string>& values) const {
  auto value_of = [&](const std::string& name, size_t) {
    auto found = values.find(name);
    CUCO_ASSERT(found != values.end());
    return found->second;
  };
  return {expand(system_, value_of), expand(user_, value_of)};
}

}  // namespace cuco::agent
