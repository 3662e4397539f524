// Golden programs: every file under tests/analyze says in comments what the analysis must and must not find.
//   // expect: FACT          one fact line of facts_text.h, whole
//   // expect-not: TEXT      no fact line contains it
//   // expect-count: N TEXT  that many fact lines start with TEXT
//   // expect-error: TEXT    the program is refused and the message contains it
//   // expect-warning: TEXT  a diagnostic contains it
//   // with: FILE            another source file of the same program, beside this one
//   // define: NAME=VALUE
// A subfolder holds the further files of programs with several.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "facts_text.h"
#include "frontend/frontend.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests" / "analyze";

struct Expectation {
  std::string verb;
  std::string text;
};

std::vector<Expectation> expectations_in(const std::string& source) {
  std::vector<Expectation> found;
  for (const std::string& line : split(source, '\n')) {
    std::string_view trimmed = trim(line);
    if (!trimmed.starts_with("// ")) continue;
    trimmed.remove_prefix(3);
    size_t colon = trimmed.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string verb(trimmed.substr(0, colon));
    if (verb.starts_with("expect") || verb == "with" || verb == "define")
      found.push_back({verb, std::string(trim(trimmed.substr(colon + 2)))});
  }
  return found;
}

struct Analysis {
  std::string error;
  std::vector<std::string> facts;
};

Analysis analyse(const fs::path& path, const std::vector<Expectation>& expectations) {
  frontend::ParseRequest request;
  request.share = fs::path(CUCO_SOURCE_DIR);
  request.files.push_back(path.string());
  for (const Expectation& expectation : expectations) {
    if (expectation.verb == "with") request.files.push_back((path.parent_path() / expectation.text).string());
    if (expectation.verb == "define") request.flags.definitions.push_back(expectation.text);
  }
  if (read_file(path.string())->find("#pragma omp") != std::string::npos)
    request.flags.nvcc_options = {"-Xcompiler=-fopenmp"};
  Result<model::Program> program = frontend::read_program(request);
  if (!program) return {program.error().message, {}};
  model::CommGraph graph = model::build_comm_graph(*program);
  return {"", testing::facts_of(*program, graph)};
}

bool contains(const std::vector<std::string>& facts, const std::string& text) {
  return std::any_of(facts.begin(), facts.end(),
                     [&](const std::string& fact) { return fact.find(text) != std::string::npos; });
}

void check(const Expectation& expectation, const Analysis& analysis, const std::string& all) {
  const auto& [verb, text] = expectation;
  if (verb == "expect") {
    EXPECT_TRUE(std::count(analysis.facts.begin(), analysis.facts.end(), text) > 0) << "missing: " << text << all;
  } else if (verb == "expect-not") {
    EXPECT_FALSE(contains(analysis.facts, text)) << "not wanted: " << text << all;
  } else if (verb == "expect-warning") {
    EXPECT_TRUE(contains(analysis.facts, text)) << "no warning: " << text << all;
  } else if (verb == "expect-error") {
    EXPECT_NE(analysis.error.find(text), std::string::npos) << "error was: " << analysis.error;
  } else if (verb == "expect-count") {
    size_t blank = text.find(' ');
    auto count = std::count_if(analysis.facts.begin(), analysis.facts.end(),
                               [&](const std::string& fact) { return fact.starts_with(text.substr(blank + 1)); });
    EXPECT_EQ(std::to_string(count), text.substr(0, blank)) << text << all;
  } else {
    EXPECT_TRUE(verb == "with" || verb == "define") << "unknown expectation: " << verb;
  }
}

class GoldenProgram : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenProgram, HasTheFactsItStates) {
  fs::path path = kFolder / GetParam();
  Result<std::string> source = read_file(path);
  ASSERT_TRUE(source.ok());
  std::vector<Expectation> expectations = expectations_in(*source);
  ASSERT_FALSE(expectations.empty()) << "a golden program without expectations tests nothing";
  Analysis analysis = analyse(path, expectations);
  bool wants_error = std::any_of(expectations.begin(), expectations.end(),
                                 [](const Expectation& expectation) { return expectation.verb == "expect-error"; });
  ASSERT_EQ(wants_error, !analysis.error.empty()) << analysis.error;
  std::string all = "\nfacts:\n  " + join(analysis.facts, "\n  ");
  for (const Expectation& expectation : expectations) check(expectation, analysis, all);
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".cu" || entry.path().extension() == ".cpp")
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Analyze, GoldenProgram, ::testing::ValuesIn(golden_files()), [](const auto& golden) {
  std::string name = fs::path(golden.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace cuco
