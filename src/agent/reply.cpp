#include "agent/reply.h"

#include <algorithm>
#include <optional>

#include "agent/edits.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr std::string_view kFileMark = "FILE:";

struct Fence {
  std::string path;  // Empty without a FILE line.
  std::string text;
};

std::vector<std::string> lines_of(std::string_view reply) {
  std::vector<std::string> lines = split(reply, '\n');
  for (std::string& line : lines)
    if (line.ends_with('\r')) line.pop_back();
  return lines;
}

size_t backticks_at_start(const std::string& line) {
  size_t count = line.find_first_not_of('`');
  return count == std::string::npos ? line.size() : count;
}

// Models like to dress the line up: **FILE: `a.cu`**.
std::optional<std::string> named_file(const std::string& line) {
  size_t mark = line.find(kFileMark);
  if (mark == std::string::npos || line.find_first_not_of("*#> `") != mark) return std::nullopt;
  std::string_view rest = trim(std::string_view(line).substr(mark + kFileMark.size()));
  while (!rest.empty() && std::string_view("*` ").find(rest.back()) != std::string_view::npos) rest.remove_suffix(1);
  while (!rest.empty() && std::string_view("*` ").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  return std::string(rest);
}

Result<std::vector<Fence>> find_fences(const std::vector<std::string>& lines) {
  std::vector<Fence> fences;
  std::string path;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (auto named = named_file(lines[i])) path = *named;
    size_t ticks = backticks_at_start(lines[i]);
    if (ticks < 3) continue;
    Fence fence{std::exchange(path, {}), ""};
    size_t opened = i++;
    while (i < lines.size() && !(backticks_at_start(lines[i]) >= ticks && trim(lines[i]).size() >= ticks &&
                                 trim(lines[i]).find_first_not_of('`') == std::string_view::npos))
      fence.text += lines[i++] + "\n";
    if (i == lines.size())
      return Error{concat("the code block that opens in line ", opened + 1, " of the reply is never closed")};
    fences.push_back(std::move(fence));
  }
  return fences;
}

Error no_such_file(const ProgramText& program, const std::string& path) {
  std::vector<std::string> paths;
  for (const SourceFile& file : program) paths.push_back(file.path);
  return Error{concat("FILE: ", path, " is not a file of the program; its files: ", join(paths, ", "))};
}

Result<SourceFile*> file_at(ProgramText& program, const std::string& path) {
  if (path.empty() && program.size() == 1) return &program.front();
  if (path.empty()) return Error{"the program has several files; put a line `FILE: path` before each change"};
  auto found = std::find_if(program.begin(), program.end(), [&](const SourceFile& file) { return file.path == path; });
  if (found == program.end()) return no_such_file(program, path);
  return &*found;
}

// "// ... rest as before" in a whole file would delete the rest.
Status check_complete(const SourceFile& before, const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trim(lines[i]);
    bool elided = line.starts_with("// ...") || line.starts_with("/* ...") || line == "...";
    if (elided && before.text.find(line) == std::string::npos)
      return Error{concat("line ", i + 1, " of the whole file leaves code out: `", line,
                          "`; send every line, or SEARCH/REPLACE edits")};
  }
  return Done{};
}

Result<ProgramText> replace_files(ProgramText program, const std::vector<std::string>& lines) {
  Result<std::vector<Fence>> fences = find_fences(lines);
  if (!fences) return fences.error();
  // Where files are named, blocks without a name are illustrations.
  bool any_named = std::any_of(fences->begin(), fences->end(), [](const Fence& fence) { return !fence.path.empty(); });
  if (any_named) std::erase_if(*fences, [](const Fence& fence) { return fence.path.empty(); });
  if (fences->empty()) return Error{"the reply holds neither a code block nor a SEARCH/REPLACE edit; send one of them"};
  if (!any_named && fences->size() > 1)
    return Error{concat("the reply holds ", fences->size(),
                        " code blocks; send the whole file in exactly one, or name "
                        "the file with a line `FILE: path` before the block that counts")};
  for (const Fence& fence : *fences) {
    Result<SourceFile*> file = file_at(program, fence.path);
    if (!file) return file.error();
    if (Status complete = check_complete(**file, fence.text); !complete) return complete.error();
    (*file)->text = fence.text;
  }
  return program;
}

Result<ProgramText> edit_files(ProgramText program, const std::vector<std::string>& lines) {
  Result<std::vector<Edit>> edits = find_edits(lines, named_file);
  if (!edits) return edits.error();
  for (size_t i = 0; i < edits->size(); ++i) {
    const Edit& edit = (*edits)[i];
    Result<SourceFile*> file = file_at(program, edit.path);
    if (!file) return Error{concat("edit ", i + 1, ": ", file.error().message)};
    Result<std::string> text = apply_edit(edit, **file);
    if (!text) return Error{concat("edit ", i + 1, ": ", text.error().message)};
    (*file)->text = *std::move(text);
  }
  return program;
}

}  // namespace

std::string fenced(const ProgramText& program) {
  std::string text;
  for (const SourceFile& file : program) {
    const char* newline = file.text.ends_with('\n') || file.text.empty() ? "" : "\n";
    text += concat("FILE: ", file.path, "\n```cuda\n", file.text, newline, "```\n");
  }
  return text;
}

Result<ProgramText> apply_reply(const ProgramText& program, std::string_view reply) {
  std::vector<std::string> lines = lines_of(reply);
  bool edits = std::any_of(lines.begin(), lines.end(), is_search_mark);
  Result<ProgramText> changed = edits ? edit_files(program, lines) : replace_files(program, lines);
  if (changed && *changed == program) return Error{"the reply leaves the program as it is; send what must change"};
  return changed;
}

}  // namespace cuco::agent
