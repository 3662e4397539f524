// Golden programs with a plan: every file under tests/rewrite/golden that has "// plan:" lines says in them what is to
// be done, and in further comments what must become of its text.
//   // plan: s1 gin/stream/peer-signal/cta/whole   a line of the plan
//   // expect: TEXT                                occurs, behind what the line before has found; \n is a line break
//   // expect-not: TEXT                            does not occur
//   // expect-error: TEXT                          the program is refused and the message contains it
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "trial.h"

namespace cuco {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;  // Verb and text.

std::pair<std::string, std::string> read_line(const std::string& line) {
  for (const char* verb : {"plan", "expect", "expect-not", "expect-error"})
    if (std::string begin = concat("// ", verb, ": "); line.starts_with(begin))
      return {verb, replace_all(line.substr(begin.size()), "\\n", "\n")};
  return {};
}

Lines read_lines(const std::filesystem::path& path) {
  Lines lines;
  for (const std::string& line : split(*read_file(path), '\n'))
    if (auto read = read_line(line); !read.first.empty()) lines.push_back(read);
  return lines;
}

std::string all_of(const Lines& lines, const std::string& wanted) {
  std::string text;
  for (const auto& [verb, value] : lines)
    if (verb == wanted) text += value + "\n";
  return text;
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "golden"))
    if (entry.path().extension() == ".cu" && !all_of(read_lines(entry.path()), "plan").empty())
      found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string without_expectations(const std::string& text) {
  std::vector<std::string> kept;
  for (const std::string& line : split(text, '\n'))
    if (read_line(line).first.empty()) kept.push_back(line);
  return join(kept, "\n");
}

void check_text(const Lines& lines, const std::string& text) {
  size_t from = 0;
  for (const auto& [verb, wanted] : lines) {
    if (verb == "expect-not") {
      EXPECT_EQ(text.find(wanted), text.npos) << "not wanted: " << wanted;
    }
    if (verb != "expect") continue;
    size_t at = text.find(wanted, from);
    EXPECT_NE(at, text.npos) << "missing or out of order: " << wanted << "\nin\n" << text.substr(from);
    if (at != text.npos) from = at + wanted.size();
  }
}

class GoldenPlan : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenPlan, IsWhatTheFileSays) {
  std::filesystem::path path = kFolder / "golden" / (GetParam() + ".cu");
  Lines lines = read_lines(path);
  Result<space::Plan> plan = space::parse_plan(all_of(lines, "plan"), path.string());
  ASSERT_TRUE(plan) << plan.error().message;
  frontend::ParseRequest parse;
  parse.files = {path.string()};
  parse.flags.include_folders = {kFolder.string(), CUCO_SOURCE_DIR "/device"};
  parse.share = kSource;
  auto sources = rewritten_files(parse, space::Backend::Lsa, [&](space::Plan& chosen) { chosen = *plan; });
  std::string refusal(trim(all_of(lines, "expect-error")));
  ASSERT_EQ(sources.ok(), refusal.empty()) << (sources ? "it was not refused" : sources.error().message);
  if (!sources)
    EXPECT_NE(sources.error().message.find(refusal), std::string::npos) << sources.error().message;
  else
    check_text(lines, without_expectations((*sources)[0].text));
}

std::string name_of(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Files, GoldenPlan, ::testing::ValuesIn(names()), name_of);

}  // namespace
}  // namespace cuco
