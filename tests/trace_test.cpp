// Golden programs: every file under tests/trace says in comments how cuco trace is called and what it must print.
//   // run: OPTIONS          what follows the program on the command line
//   // expect: LINE          one line of the output, without the blanks around it
//   // expect-not: TEXT      no line of the output contains it
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests" / "trace";

// The values of all lines "// key: value".
std::vector<std::string> remarks(const std::string& text, std::string_view key) {
  std::vector<std::string> values;
  std::string prefix = concat("// ", key, ": ");
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(prefix)) values.emplace_back(trim(std::string_view(line).substr(prefix.size())));
  return values;
}

std::vector<std::string> trimmed_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) lines.emplace_back(trim(line));
  return lines;
}

class TracedProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(TracedProgram, HasTheFootprintsItStates) {
  Result<std::string> source = read_file(kFolder / GetParam());
  ASSERT_TRUE(source.ok());
  std::vector<std::string> options = remarks(*source, "run"), wanted = remarks(*source, "expect");
  ASSERT_EQ(options.size(), 1u);
  ASSERT_FALSE(wanted.empty()) << "a golden program without expectations tests nothing";
  std::string command =
      concat("cd '", kFolder.string(), "' && '", CUCO_BINARY, "' trace ", GetParam(), " ", options[0]);
  Result<ProcessOutput> run = RealProcessRunner().run({"sh", "-c", command}, 300'000);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->exit_code, 0) << run->text;
  std::vector<std::string> lines = trimmed_lines(run->text);
  for (const std::string& line : wanted)
    EXPECT_TRUE(std::count(lines.begin(), lines.end(), line) > 0) << "missing: " << line << "\n" << run->text;
  for (const std::string& text : remarks(*source, "expect-not"))
    EXPECT_EQ(run->text.find(text), std::string::npos) << "not wanted: " << text << "\n" << run->text;
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Trace, TracedProgram, ::testing::ValuesIn(golden_files()),
                         [](const auto& golden) { return fs::path(golden.param).stem().string(); });

}  // namespace
}  // namespace cuco
