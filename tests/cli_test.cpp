// Runs the transcripts in tests/cli/*.txt against the built cuco, from the root of the source tree.
//
//   $ cuco profiles          a command for sh, with cuco's folder first on PATH
//   a100x4-nvlink ...        its output and errors, in the order they come
//   ...                      a line of three dots stands for any lines, also none
//   [exit 2]                 the exit code; 0 where the line is missing
//
// Lines before the first command are remarks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Exchange {
  std::string command;
  Lines expected;
  int exit_code = 0;
};

std::vector<Exchange> parse_transcript(const std::string& text) {
  std::vector<Exchange> exchanges;
  for (const std::string& line : split(trim(text), '\n')) {
    if (line.starts_with("$ "))
      exchanges.push_back({line.substr(2), {}, 0});
    else if (exchanges.empty())
      continue;
    else if (line.starts_with("[exit "))
      exchanges.back().exit_code = std::stoi(line.substr(6));
    else
      exchanges.back().expected.push_back(line);
  }
  for (Exchange& exchange : exchanges)
    while (!exchange.expected.empty() && exchange.expected.back().empty()) exchange.expected.pop_back();
  return exchanges;
}

using LineIterator = Lines::const_iterator;

bool matches(LineIterator expected, LineIterator expected_end, LineIterator actual, LineIterator actual_end) {
  if (expected == expected_end) return actual == actual_end;
  if (*expected != "...")
    return actual != actual_end && *expected == *actual && matches(expected + 1, expected_end, actual + 1, actual_end);
  for (; !matches(expected + 1, expected_end, actual, actual_end); ++actual)
    if (actual == actual_end) return false;
  return true;
}

bool matches(const Lines& expected, const Lines& actual) {
  return matches(expected.begin(), expected.end(), actual.begin(), actual.end());
}

Lines lines_of(const std::string& output) {
  Lines lines = split(output, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void check(const Exchange& exchange) {
  std::string folder = fs::path(CUCO_BINARY).parent_path().string();
  std::string script = concat("cd '", CUCO_SOURCE_DIR, "' && PATH='", folder, "':$PATH\n", exchange.command);
  Result<ProcessOutput> run = RealProcessRunner().run({"sh", "-c", script}, 180'000);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_TRUE(matches(exchange.expected, lines_of(run->text))) << "$ " << exchange.command << "\nexpected:\n"
                                                               << join(exchange.expected, "\n") << "\nseen:\n"
                                                               << run->text;
  EXPECT_EQ(run->exit_code, exchange.exit_code) << "$ " << exchange.command;
}

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(CUCO_SOURCE_DIR) / "tests/cli"))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Transcript : public ::testing::TestWithParam<std::string> {};

TEST_P(Transcript, IsWhatHappens) {
  Result<std::string> text = read_file(fs::path(CUCO_SOURCE_DIR) / "tests/cli" / (GetParam() + ".txt"));
  ASSERT_TRUE(text.ok()) << text.error().message;
  std::vector<Exchange> exchanges = parse_transcript(*text);
  ASSERT_FALSE(exchanges.empty()) << "no line starts with '$ '";
  for (const Exchange& exchange : exchanges) check(exchange);
}

INSTANTIATE_TEST_SUITE_P(Cli, Transcript, ::testing::ValuesIn(transcripts()),
                         [](const auto& each) { return each.param; });

TEST(TranscriptMatch, ThreeDotsStandForAnyLines) {
  EXPECT_TRUE(matches({"a", "...", "d"}, {"a", "b", "c", "d"}));
  EXPECT_TRUE(matches({"a", "..."}, {"a"}));
  EXPECT_TRUE(matches({"...", "b", "...", "d"}, {"a", "b", "b", "c", "d"}));
}

TEST(TranscriptMatch, EverythingElseIsExact) {
  EXPECT_FALSE(matches({"a", "...", "d"}, {"a", "b", "c"}));
  EXPECT_FALSE(matches({"a"}, {"a", "b"}));
  EXPECT_FALSE(matches({}, {"a"}));
}

}  // namespace
}  // namespace cuco
