// What a user has to read of a rewritten program: lines that are new or changed in the program's own files.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "trial.h"

namespace cuco {
namespace {

// Lines of `after` that are not lines of `before` in the same order.
size_t new_lines(const std::string& before, const std::string& after) {
  std::vector<std::string> old_lines = split(before, '\n'), lines = split(after, '\n');
  std::vector<size_t> common(lines.size() + 1, 0);
  for (const std::string& old_line : old_lines) {
    size_t diagonal = 0;
    for (size_t i = 0; i < lines.size(); i++) {
      size_t above = common[i + 1];
      common[i + 1] = old_line == lines[i] ? diagonal + 1 : std::max(above, common[i]);
      diagonal = above;
    }
  }
  return lines.size() - common.back();
}

std::vector<std::filesystem::path> workload_programs() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "workloads"))
    if (std::filesystem::exists(entry.path() / "workload.toml")) found.push_back(entry.path() / "program.cu");
  std::sort(found.begin(), found.end());
  return found;
}

frontend::ParseRequest parse_of(const std::filesystem::path& program) {
  frontend::ParseRequest parse;
  parse.files = {program.string()};
  parse.share = kSource;
  return parse;
}

size_t new_lines_of(const std::filesystem::path& program) {
  Result<std::vector<rewrite::Source>> sources = rewritten_files(parse_of(program), space::Backend::Lsa);
  EXPECT_TRUE(sources) << program << ": " << (sources ? "" : sources.error().message);
  return sources ? new_lines(*read_file(program), (*sources)[0].text) : SIZE_MAX;
}

TEST(Diff, CountsLinesThatAreNewOrChanged) {
  EXPECT_EQ(new_lines("a\nb\nc\n", "a\nb\nc\n"), 0u);
  EXPECT_EQ(new_lines("a\nb\nc\n", "a\nx\nc\ny\n"), 2u);
  EXPECT_EQ(new_lines("a\nb\nc\n", "a\nc\n"), 0u);
}

TEST(Diff, OfTheBundledWorkloadsIsShort) {
  std::vector<size_t> counts;
  for (const std::filesystem::path& program : workload_programs()) {
    counts.push_back(new_lines_of(program));
    std::printf("%3zu new lines in %s\n", counts.back(), program.parent_path().filename().c_str());
  }
  ASSERT_FALSE(counts.empty());
  std::sort(counts.begin(), counts.end());
  EXPECT_LE(counts[counts.size() / 2], 40u);
}

// Every include stands once, and no marker follows another with nothing between them.
TEST(Diff, RepeatsNoIncludeAndLeavesNoBlockEmpty) {
  for (const std::filesystem::path& program : workload_programs()) {
    Result<std::vector<rewrite::Source>> sources = rewritten_files(parse_of(program), space::Backend::Gin);
    ASSERT_TRUE(sources) << program << ": " << sources.error().message;
    std::vector<std::string> lines = split((*sources)[0].text, '\n');
    for (size_t i = 0; i + 1 < lines.size(); i++) {
      bool opens = lines[i].find("EVOLVE-BLOCK-START") != std::string::npos;
      EXPECT_FALSE(opens && lines[i + 1].find("EVOLVE-BLOCK-END") != std::string::npos) << program;
      if (lines[i].starts_with("#include")) EXPECT_EQ(std::count(lines.begin(), lines.end(), lines[i]), 1) << lines[i];
    }
  }
}

}  // namespace
}  // namespace cuco
