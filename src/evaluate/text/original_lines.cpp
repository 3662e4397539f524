#include "evaluate/text/original_lines.h"

#include <cctype>
#include <optional>

#include "base/diff.h"
#include "base/text.h"
#include "evaluate/verdict.h"

namespace cuco::evaluate {

namespace {

std::vector<LineChange> changes_of(const std::string& before, const std::string& after) {
  std::vector<std::string> old_lines = split(before, '\n'), new_lines = split(after, '\n');
  return diff_lines({old_lines.begin(), old_lines.end()}, {new_lines.begin(), new_lines.end()});
}

// What to say behind line `line`, counted from 1.
std::string note_for(size_t line, const std::vector<LineChange>& changes) {
  size_t original = line;
  for (const LineChange& change : changes) {
    if (line <= change.after_begin) break;
    if (line <= change.after_begin + change.after_count) {
      size_t into = line - change.after_begin;
      if (into <= change.before_count)
        return concat(" (line ", change.before_begin + into, " of the original, changed)");
      return concat(" (new, after line ", change.before_begin + change.before_count, " of the original)");
    }
    original = line - (change.after_begin + change.after_count) + change.before_begin + change.before_count;
  }
  return original == line ? "" : concat(" (line ", original, " of the original)");
}

bool continues_file_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

std::string annotated(const std::string& text, const std::string& name, const std::vector<LineChange>& changes) {
  std::string result;
  std::string mark = name + ":";
  size_t from = 0;
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, from)) {
    size_t end = at + mark.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) end++;
    result += text.substr(from, end - from);
    from = end;
    bool is_other_file = at > 0 && continues_file_name(text[at - 1]);
    if (end > at + mark.size() && !is_other_file)
      result += note_for(std::stoul(text.substr(at + mark.size())), changes);
  }
  return result + text.substr(from);
}

}  // namespace

std::string with_original_lines(const std::string& text, const std::vector<SourceFile>& original,
                                const std::vector<SourceFile>& candidate) {
  std::string result = text;
  for (const SourceFile& file : candidate)
    for (const SourceFile& before : original)
      if (before.name == file.name && before.text != file.text && result.find(file.name + ":") != result.npos)
        result = annotated(result, file.name, changes_of(before.text, file.text));
  return result;
}

void name_original_lines(Verdict& verdict, const std::vector<SourceFile>& original,
                         const std::vector<SourceFile>& candidate) {
  for (Finding& finding : verdict.findings) finding.text = with_original_lines(finding.text, original, candidate);
}

}  // namespace cuco::evaluate
