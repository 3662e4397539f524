// Golden programs of the rules of the fast path: every file under tests/rewrite/golden says in comments what must
// become of its text.
//   // expect: TEXT          occurs in the rewritten text, behind what the line before has found; \n is a line break
//   // expect-not: TEXT      does not occur
//   // expect-count: N TEXT  occurs so often
//   // expect-error: TEXT    the program is refused and the message contains it
//   // backend: gin          instead of lsa, for all sites
//   // plan: s1 gin/stream/peer-signal/cta/whole   a line of a plan, instead of the fast path's
// Lines with comments of this kind do not count as text; order_test.cpp looks for what "// expect-note:" says.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "trial.h"

namespace cuco {
namespace {

struct Golden {
  std::filesystem::path path;
  std::vector<std::pair<std::string, std::string>> lines;  // Verb and text.

  // The lines with the verb, one behind the other.
  std::string value_of(const std::string& verb) const {
    std::vector<std::string> all;
    for (const auto& [own, text] : lines)
      if (own == verb) all.push_back(text);
    return join(all, "\n");
  }
};

bool is_verb(const std::string& word) {
  return word == "plan" || word == "backend" || word == "expect" || word.starts_with("expect-");
}

// Of a line "// VERB: TEXT"; an empty verb for any other.
std::pair<std::string, std::string> read_line(const std::string& line) {
  size_t colon = line.find(": ");
  if (!line.starts_with("// ") || colon == line.npos || !is_verb(line.substr(3, colon - 3))) return {};
  return {line.substr(3, colon - 3), replace_all(line.substr(colon + 2), "\\n", "\n")};
}

Golden read_golden(const std::filesystem::path& path) {
  Golden golden{path, {}};
  for (const std::string& line : split(*read_file(path), '\n'))
    if (auto read = read_line(line); !read.first.empty()) golden.lines.push_back(read);
  return golden;
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "golden"))
    if (entry.path().extension() == ".cu") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string without_expectations(const std::string& text) {
  std::vector<std::string> kept;
  for (const std::string& line : split(text, '\n'))
    if (read_line(line).first.empty()) kept.push_back(line);
  return join(kept, "\n");
}

size_t count_of(const std::string& text, const std::string& wanted) {
  size_t count = 0;
  for (size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + wanted.size())) count++;
  return count;
}

void check_text(const Golden& golden, const std::string& text) {
  size_t from = 0;
  for (const auto& [verb, wanted] : golden.lines) {
    if (verb == "expect") {
      size_t at = text.find(wanted, from);
      EXPECT_NE(at, text.npos) << "missing or out of order: " << wanted << "\nin\n" << text.substr(from);
      if (at != text.npos) from = at + wanted.size();
    } else if (verb == "expect-not") {
      EXPECT_EQ(text.find(wanted), text.npos) << "not wanted: " << wanted;
    } else if (verb == "expect-count") {
      size_t space = wanted.find(' ');
      EXPECT_EQ(count_of(text, wanted.substr(space + 1)), std::stoul(wanted.substr(0, space))) << wanted;
    } else {
      EXPECT_TRUE(verb == "backend" || verb == "plan" || verb == "expect-note") << "a verb that does not fit: " << verb;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class GoldenRewriting : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenRewriting, IsWhatTheFileSays) {
  Golden golden = read_golden(kFolder / "golden" / (GetParam() + ".cu"));
  space::Backend backend = golden.value_of("backend") == "gin" ? space::Backend::Gin : space::Backend::Lsa;
  frontend::ParseRequest parse;
  parse.files = {golden.path.string()};
  parse.flags.include_folders = {kFolder.string(), (kSource / "device").string()};
  parse.share = kSource;
  Result<space::Plan> plan = space::parse_plan(golden.value_of("plan"), golden.path.string());
  ASSERT_TRUE(plan) << plan.error().message;
  Result<std::vector<rewrite::Source>> sources = rewritten_files(parse, backend, [&](space::Plan& chosen) {
    if (!golden.value_of("plan").empty()) chosen = *plan;
  });
  std::string refusal = golden.value_of("expect-error");
  ASSERT_EQ(sources.ok(), refusal.empty()) << (sources ? "it was not refused" : sources.error().message);
  if (!sources)
    EXPECT_NE(sources.error().message.find(refusal), std::string::npos) << sources.error().message;
  else
    check_text(golden, without_expectations((*sources)[0].text));
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenRewriting, ::testing::ValuesIn(names()), name_of);

}  // namespace
}  // namespace cuco
