#include "agent/rejection_text.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"

namespace cuco::agent {

namespace {

constexpr size_t kLinesAround = 4;
constexpr size_t kExcerptLinesMax = 120;
constexpr size_t kFindingBytesMax = 420;
constexpr size_t kGroupsMax = 16;
constexpr size_t kReplyBytesMax = 6'000;

// A file, by its index, and a line of it.
using Place = std::pair<size_t, size_t>;

std::string name_of(const SourceFile& file) { return std::filesystem::path(file.name).filename().string(); }

size_t number_at(std::string_view text, size_t at) {
  size_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = number * 10 + static_cast<size_t>(text[at] - '0');
  return number;
}

std::set<Place> places_in(const std::string& text, const ProgramText& program) {
  std::set<Place> places;
  for (size_t file = 0; file < program.size(); ++file) {
    std::string mark = name_of(program[file]) + ":";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      if (size_t line = number_at(text, at + mark.size()); line > 0) places.insert({file, line});
  }
  return places;
}

struct Group {
  std::string kind, text;  // The text of the first.
  size_t count = 0;
  std::set<int> ranks;
};

std::vector<Group> groups_of(const Rejection& rejection) {
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::set<Place>>, size_t> known;
  for (const ReportedFinding& finding : rejection.findings) {
    std::set<Place> places = places_in(finding.text, rejection.program);
    // Texts without a place are told apart by what they say.
    std::string kind = places.empty() ? concat(finding.kind, "\n", finding.text) : finding.kind;
    auto [found, is_new] = known.emplace(std::pair(std::move(kind), std::move(places)), groups.size());
    if (is_new) groups.push_back({finding.kind, finding.text, 0, {}});
    Group& group = groups[found->second];
    ++group.count;
    if (finding.rank >= 0) group.ranks.insert(finding.rank);
    group.ranks.insert(finding.other_ranks.begin(), finding.other_ranks.end());
  }
  return groups;
}

std::string line_of(const Group& group) {
  std::vector<std::string> ranks;
  for (int rank : group.ranks) ranks.push_back(std::to_string(rank));
  std::string whose = ranks.empty() ? "" : concat(ranks.size() == 1 ? ", rank " : ", ranks ", join(ranks, ", "));
  std::string times = group.count == 1 ? "" : concat(", ", group.count, " times");
  return concat("- ", group.kind, times, whose, ": ", squeeze(group.text.substr(0, kFindingBytesMax)), "\n");
}

// The numbers of the lines to show: those around named ones, and single lines that would lie between two runs.
std::set<size_t> shown_lines(const std::set<size_t>& named, size_t line_count) {
  std::set<size_t> shown;
  for (size_t line : named)
    for (size_t i = line > kLinesAround ? line - kLinesAround : 1; i <= std::min(line + kLinesAround, line_count); ++i)
      shown.insert(i);
  for (size_t line = 2; line < line_count; ++line)
    if (shown.contains(line - 1) && shown.contains(line + 1)) shown.insert(line);
  return shown;
}

std::string numbered(size_t line, const std::string& text, bool is_named) {
  char number[16];
  std::snprintf(number, sizeof number, "%c%5zu| ", is_named ? '>' : ' ', line);
  return concat(number, text, "\n");
}

std::string excerpt_of(const SourceFile& file, const std::set<size_t>& named, size_t& lines_left) {
  std::vector<std::string> lines = split(file.text, '\n');
  std::string text = concat("FILE: ", name_of(file), "\n");
  size_t before = 0;
  for (size_t line : shown_lines(named, lines.size())) {
    if (lines_left == 0) return text + "...\n";
    if (before != 0 && line != before + 1) text += "   ...\n";
    text += numbered(line, lines[line - 1], named.contains(line));
    before = line;
    --lines_left;
  }
  return text;
}

}  // namespace

std::string findings_in_short(const Rejection& rejection) {
  std::vector<Group> groups = groups_of(rejection);
  std::string text;
  for (size_t i = 0; i < groups.size() && i < kGroupsMax; ++i) text += line_of(groups[i]);
  if (groups.size() > kGroupsMax) text += concat("- and ", groups.size() - kGroupsMax, " more kinds and places\n");
  return text;
}

std::string numbered_excerpts(const Rejection& rejection) {
  std::map<size_t, std::set<size_t>> named;
  for (const ReportedFinding& finding : rejection.findings)
    for (const auto& [file, line] : places_in(finding.text, rejection.program)) named[file].insert(line);
  std::string text;
  size_t lines_left = kExcerptLinesMax;
  for (const auto& [file, lines] : named) text += excerpt_of(rejection.program[file], lines, lines_left);
  return text;
}

std::string rejection_text(const Rejection& rejection) {
  std::string text = concat("What is wrong with it:\n", findings_in_short(rejection));
  if (std::string excerpts = numbered_excerpts(rejection); !excerpts.empty())
    text += concat("\nThe lines that this names, with their numbers:\n", excerpts);
  if (!rejection.reply.empty())
    text += concat("\nThe reply began:\n~~~\n", rejection.reply.substr(0, kReplyBytesMax), "\n~~~\n");
  if (!rejection.attempts.empty())
    text += concat("\nEarlier attempts at it:\n- ", join(rejection.attempts, "\n- "), "\n");
  return text;
}

}  // namespace cuco::agent
