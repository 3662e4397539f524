// Loops over ranks in another order, and receives of exact sizes: golden/order_*.cu and exact_*.cu state plan, expected
// text and notes; those that are changed also print the same.
#include <gtest/gtest.h>

#include "planned.h"

namespace cuco {
namespace {

// What stands behind "// KEY: " in the program, line by line.
std::vector<std::string> stated(const std::string& text, const std::string& key) {
  std::vector<std::string> values;
  std::string mark = concat("// ", key, ": ");
  for (const std::string& line : split(text, '\n'))
    if (trim(line).starts_with(mark)) values.emplace_back(trim(line).substr(mark.size()));
  return values;
}

std::vector<std::string> golden_programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder / "golden"))
    if (std::string name = entry.path().filename(); name.starts_with("order_") || name.starts_with("exact_"))
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The program without the lines that state what to expect of it.
std::string without_expectations(const std::string& text) {
  std::string kept;
  for (const std::string& line : split(text, '\n'))
    if (!trim(line).starts_with("// expect")) kept += line + "\n";
  return kept;
}

Result<rewrite::Rewritten> rewritten_golden(const std::filesystem::path& file, const std::string& text) {
  Result<Analysed> all = analysed(file);
  if (!all) return all.error();
  Result<space::Plan> plan = space::parse_plan(join(stated(text, "plan"), "\n"), file.string());
  if (!plan) return plan.error();
  return rewritten_by(*all, *plan);
}

class OrderGolden : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, OrderGolden, ::testing::ValuesIn(golden_programs()),
                         [](const auto& one) { return one.param; });

TEST_P(OrderGolden, HoldsWhatItExpects) {
  std::filesystem::path file = kFolder / "golden" / (GetParam() + ".cu");
  std::string source = *read_file(file);
  Result<rewrite::Rewritten> result = rewritten_golden(file, source);
  ASSERT_TRUE(result) << result.error().message;
  std::string text = without_expectations(result->sources[0].text), notes = join(result->notes, "\n");
  size_t at = 0;
  for (const std::string& wanted : stated(source, "expect")) {
    size_t found = text.find(wanted, at);
    ASSERT_NE(found, std::string::npos) << wanted << "\n" << notes;
    at = found + wanted.size();
  }
  for (const std::string& unwanted : stated(source, "expect-not"))
    EXPECT_EQ(text.find(unwanted), std::string::npos) << unwanted << "\n" << notes;
  for (const std::string& note : stated(source, "expect-note"))
    EXPECT_NE(notes.find(note), std::string::npos) << note << "\n" << notes;
}

class TurnedLoops : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Schedules, TurnedLoops, ::testing::Values("remote-first", "local-first"),
                         [](const auto& one) { return replace_all(one.param, "-", "_"); });

TEST_P(TurnedLoops, GiveTheSameResult) {
  Trial trial{kFolder / "golden" / "order_applies.cu", {}, {}, 4, 2};
  Result<Analysed> all = analysed(trial.program);
  ASSERT_TRUE(all) << all.error().message;
  space::Schedule schedule;
  bool remote = GetParam() == "remote-first";
  schedule.order = remote ? space::WorkOrder::RemoteFirst : space::WorkOrder::LocalFirst;
  Result<rewrite::Rewritten> result =
      rewritten_by(*all, uniform_plan(*all, "gin/deferred/barrier/warp/whole", schedule));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(result->sources[0].text.find(remote ? "Order::RemoteFirst)" : "Order::LocalFirst)"), std::string::npos);
  std::string before = printed_by(trial, "a100-2node-roce");
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  EXPECT_EQ(printed_by_text(trial, result->sources[0].text, "a100-2node-roce"), before);
}

class ExactSizes : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Backends, ExactSizes, ::testing::Values("lsa", "gin"),
                         [](const auto& one) { return one.param; });

TEST_P(ExactSizes, GiveTheSameResultWithFewerBytes) {
  bool near = GetParam() == "lsa";
  std::string profile = near ? "h100x8-nvlink" : "a100-2node-roce";
  Trial trial{kFolder / "golden" / "exact_applies.cu", {}, {}, 4, near ? 1u : 2u};
  Result<Analysed> all = analysed(trial.program);
  ASSERT_TRUE(all) << all.error().message;
  Result<rewrite::Rewritten> result =
      rewritten_by(*all, uniform_plan(*all, concat(GetParam(), "/deferred/barrier/cta/whole"), {}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(result->sources[0].text.find("cuco::comm::receive_at_most(received"), std::string::npos);
  std::string before = printed_by(trial, profile);
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  EXPECT_EQ(printed_by_text(trial, result->sources[0].text, profile), before);
  // Bytes that were not asked for do not travel: a reader of one more finds what was there before.
  std::string greedy = replace_all(result->sources[0].text, "cuco::comm::receive_at_most(received, count * sizeof(float))",
                                   "cuco::comm::receive_at_most(received, (count - 1) * sizeof(float))");
  EXPECT_NE(printed_by_text(trial, greedy, profile), before);
}

}  // namespace
}  // namespace cuco
