#include "agent/editable_program.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr std::string_view kNumberMark = " (block ";

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

std::string without_middle(const Run& run, size_t edge_lines) {
  if (run.line_count() <= 2 * edge_lines + 1) return std::string(run.text);
  std::vector<std::string> lines = split(run.text, '\n');
  std::string shown;
  for (size_t i = 0; i < edge_lines; ++i) shown += lines[i] + "\n";
  shown += concat("[", run.line_count() - 2 * edge_lines, " frozen lines left out]\n");
  for (size_t i = run.line_count() - edge_lines; i < run.line_count(); ++i) shown += lines[i] + "\n";
  return shown;
}

// `frozen_text` says what is left of a frozen run.
std::string shown(const EditableProgram& program, const std::function<std::string(const Run&)>& frozen_text) {
  ProgramText files = program.files;
  for (size_t file = 0; file < files.size(); ++file) {
    std::string& text = files[file].text;
    text.clear();
    for (const Run& run : runs_of(program, file)) {
      if (run.block > 0 && text.ends_with('\n')) {
        text.pop_back();
        text += concat(kNumberMark, run.block, ")\n");
      }
      text += run.block == 0 ? frozen_text(run) : std::string(run.text);
    }
  }
  return fenced(files);
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
            concat("- block ", run.block, ": ", program.files[file].path, ", empty, at line ", run.first_line, "\n");
      else
        text += concat("- block ", run.block, ": ", program.files[file].path, ", lines ", line_range(run), "\n");
    }
    if (!frozen.empty()) text += concat("- frozen: ", program.files[file].path, ", lines ", join(frozen, ", "), "\n");
  }
  return text;
}

std::string shown_whole(const EditableProgram& program) {
  return shown(program, [](const Run& run) { return std::string(run.text); });
}

std::string shown_blocks(const EditableProgram& program, size_t edge_lines) {
  return shown(program, [&](const Run& run) { return without_middle(run, edge_lines); });
}

std::string without_block_number(const std::string& line) {
  size_t number = line.rfind(kNumberMark);
  bool numbered = number != std::string::npos && line.ends_with(')') &&
                  line.find_first_not_of("0123456789", number + kNumberMark.size()) == line.size() - 1;
  return numbered && trim(line).starts_with("//") ? line.substr(0, number) : line;
}

std::string shown_blocks_only(const EditableProgram& program) {
  std::string text;
  for (size_t i = 0; i < program.blocks.size(); ++i)
    text += concat("BLOCK: ", i + 1, "\n```cuda\n", ended(block_text(program, i)), "```\n");
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
