#include "agent/reply.h"

#include <algorithm>
#include <optional>

#include "agent/edits.h"
#include "agent/fences.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

std::optional<std::string> named_file(const std::string& line) { return marked_word(line, kFileMark); }

Error no_such_file(const ProgramText& program, const std::string& path) {
  std::vector<std::string> paths;
  for (const SourceFile& file : program) paths.push_back(file.name);
  return Error{concat("FILE: ", path, " is not a file of the program; its files: ", join(paths, ", "))};
}

Result<SourceFile*> file_at(ProgramText& program, const std::string& path) {
  if (path.empty() && program.size() == 1) return &program.front();
  if (path.empty()) return Error{"the program has several files; put a line `FILE: path` before each change"};
  auto found = std::find_if(program.begin(), program.end(), [&](const SourceFile& file) { return file.name == path; });
  if (found == program.end()) return no_such_file(program, path);
  return &*found;
}

Result<ProgramText> replace_files(ProgramText program, const std::vector<std::string>& lines) {
  Result<std::vector<Fence>> fences = find_fences(lines, kFileMark);
  if (!fences) return fences.error();
  // Where files are named, blocks without a name are illustrations.
  bool any_named = std::any_of(fences->begin(), fences->end(), [](const Fence& fence) { return !fence.label.empty(); });
  if (any_named) std::erase_if(*fences, [](const Fence& fence) { return fence.label.empty(); });
  if (fences->empty()) return Error{"the reply holds neither a code block nor a SEARCH/REPLACE edit; send one of them"};
  if (!any_named && fences->size() > 1)
    return Error{concat("the reply holds ", fences->size(),
                        " code blocks; send the whole file in exactly one, or name "
                        "the file with a line `FILE: path` before the block that counts")};
  for (const Fence& fence : *fences) {
    CUCO_TRY(SourceFile * file, file_at(program, fence.label));
    CUCO_CHECK(check_complete(file->text, fence.text, "the whole file"));
    file->text = fence.text;
  }
  return program;
}

Result<ProgramText> edit_files(ProgramText program, const std::vector<std::string>& lines) {
  CUCO_TRY(std::vector<Edit> edits, find_edits(lines, named_file));
  for (size_t i = 0; i < edits.size(); ++i) {
    const Edit& edit = edits[i];
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
    text += concat("FILE: ", file.name, "\n```cuda\n", file.text, newline, "```\n");
  }
  return text;
}

Result<ProgramText> apply_reply(const ProgramText& program, std::string_view reply) {
  std::vector<std::string> lines = reply_lines(reply);
  bool edits = std::any_of(lines.begin(), lines.end(), is_search_mark);
  Result<ProgramText> changed = edits ? edit_files(program, lines) : replace_files(program, lines);
  if (changed && *changed == program) return Error{"the reply leaves the program as it is; send what must change"};
  return changed;
}

}  // namespace cuco::agent
