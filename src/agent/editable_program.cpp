#include "agent/editable_program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/short_text.h"
#include "base/assert.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr std::string_view kNumberMark = " (block ", kShortMark = ", in short";
constexpr size_t kEdgeLines = 20;  // Of frozen text, at each end.

// A run of text of one file that lies in one block or between two.
struct Run {
  std::string_view text;
  size_t first_line = 1;
  size_t block = 0;  // From 1; 0 is frozen.

  size_t line_count() const {
    auto newlines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    return newlines + (text.empty() || text.ends_with('\n') ? 0 : 1);
  }
};

std::vector<Run> runs_of(const EditableProgram& program, size_t file) {
  std::string_view text = program.files[file].text;
  std::vector<Run> runs;
  size_t at = 0, line = 1;
  auto take = [&](size_t end, size_t block) {
    if (end == at && block == 0) return;
    runs.push_back({text.substr(at, end - at), line, block});
    line += runs.back().line_count();
    at = end;
  };
  for (size_t i = 0; i < program.blocks.size(); ++i) {
    const EditableBlock& block = program.blocks[i];
    if (block.file != file) continue;
    CUCO_ASSERT(at <= block.begin && block.begin <= block.end && block.end <= text.size());
    take(block.begin, 0);
    take(block.end, i + 1);
  }
  take(text.size(), 0);
  return runs;
}

std::string line_range(const Run& run) { return concat(run.first_line, "-", run.first_line + run.line_count() - 1); }

std::string without_middle(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  size_t count = lines.size() - (text.ends_with('\n') ? 1 : 0);
  if (count <= 2 * kEdgeLines + 1) return text;
  std::string shown;
  for (size_t i = 0; i < kEdgeLines; ++i) shown += lines[i] + "\n";
  shown += concat("[", count - 2 * kEdgeLines, " frozen lines left out]\n");
  for (size_t i = count - kEdgeLines; i < count; ++i) shown += lines[i] + "\n";
  return shown;
}

bool is_in_short(const Run& run, Detail detail) {
  if (run.block == 0) return detail >= Detail::FrozenInShort;
  return detail >= Detail::LibrariesInShort && is_library(run.text);
}

// What must be known of texts in short: what the others, and `offered`, speak of, and what that needs in turn.
std::set<std::string> needed_in(const EditableProgram& program, Detail detail, std::string_view offered) {
  std::set<std::string> used = identifiers_in(offered);
  std::vector<std::string_view> libraries;
  for (size_t file = 0; file < program.files.size(); ++file)
    for (const Run& run : runs_of(program, file)) {
      if (!is_in_short(run, detail)) {
        used.merge(identifiers_in(run.text));
      } else if (detail < Detail::LibrariesByName) {
        libraries.push_back(run.text);
        used.merge(identifiers_in(in_short(run.text, {})));
      }
    }
  return needed_names(libraries, std::move(used));
}

// The marker before a block gets its number.
void number_block(std::string& text, size_t block, bool is_short) {
  if (!text.ends_with('\n')) return;
  text.pop_back();
  text += concat(kNumberMark, block, is_short ? kShortMark : "", ")\n");
}

std::string ended(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += "\n";
  return text;
}

}  // namespace

std::string block_text(const EditableProgram& program, size_t block) {
  const EditableBlock& found = program.blocks.at(block);
  return program.files[found.file].text.substr(found.begin, found.end - found.begin);
}

std::string outline(const EditableProgram& program) {
  std::string text;
  for (size_t file = 0; file < program.files.size(); ++file) {
    std::vector<std::string> frozen;
    for (const Run& run : runs_of(program, file)) {
      if (run.block == 0)
        frozen.push_back(line_range(run));
      else if (run.text.empty())
        text +=
            concat("- block ", run.block, ": ", program.files[file].name, ", empty, at line ", run.first_line, "\n");
      else
        text += concat("- block ", run.block, ": ", program.files[file].name, ", lines ", line_range(run), "\n");
    }
    if (!frozen.empty()) text += concat("- frozen: ", program.files[file].name, ", lines ", join(frozen, ", "), "\n");
  }
  return text;
}

std::string shown(const EditableProgram& program, Detail detail, std::string_view offered) {
  std::set<std::string> needed = needed_in(program, detail, offered);
  ProgramText files = program.files;
  for (size_t file = 0; file < files.size(); ++file) {
    std::string& text = files[file].text;
    text.clear();
    for (const Run& run : runs_of(program, file)) {
      bool is_short = is_in_short(run, detail);
      if (run.block > 0) number_block(text, run.block, is_short);
      std::string own = is_short ? in_short(run.text, needed) : std::string(run.text);
      text += run.block == 0 && detail == Detail::FrozenEdges ? without_middle(own) : own;
    }
  }
  return fenced(files);
}

std::string without_block_number(const std::string& line) {
  size_t number = line.rfind(kNumberMark);
  if (number == std::string::npos || !trim(line).starts_with("//")) return line;
  size_t behind = line.find_first_not_of("0123456789", number + kNumberMark.size());
  std::string_view rest = std::string_view(line).substr(std::min(behind, line.size()));
  return rest == ")" || rest == concat(kShortMark, ")") ? line.substr(0, number) : line;
}

std::string shown_blocks_only(const EditableProgram& program) {
  std::string text;
  for (size_t i = 0; i < program.blocks.size(); ++i)
    if (std::string block = block_text(program, i); !is_library(block))
      text += concat("BLOCK: ", i + 1, "\n```cuda\n", ended(std::move(block)), "```\n");
  return text;
}

ProgramText with_blocks(const EditableProgram& program, const std::vector<std::string>& texts) {
  CUCO_ASSERT(texts.size() == program.blocks.size());
  ProgramText changed = program.files;
  for (size_t file = 0; file < changed.size(); ++file) {
    changed[file].text.clear();
    for (const Run& run : runs_of(program, file))
      changed[file].text += run.block == 0 ? std::string(run.text) : ended(texts[run.block - 1]);
  }
  return changed;
}

}  // namespace cuco::agent
