// Every file of this folder is a candidate for baseline.cu, written as the text of its evolve blocks:
//   // expect: passed | LEVEL KIND         the level and kind of an error that it must give
//   // ranks: N                            2 unless given
//   // why, in one line
//   // nodes: 2                            ranks are on nodes of their own
//   // own parent: ...                     the text check is passed over, so that only sandbox and judge are left
//   // allow lossy                         what the original only moves may arrive with fewer bits
//   // full size: count=N                  timed at this size by block sampling, after it was verified at the usual one
//   //--- kernels                          text of the first block; the baseline's when absent
//   //--- step                             text of the second block
//   //--- instead of TEXT                  frozen text that the following line replaces
//   //--- in both, instead of TEXT         the same, in the baseline too
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/printable.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/evaluate.h"
#include "evaluate/sandbox.h"

namespace cuco::evaluate {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests" / "cheats";
constexpr std::string_view kStart = "EVOLVE-BLOCK-START\n";
constexpr std::string_view kEnd = "EVOLVE-BLOCK-END";
constexpr std::string_view kExpect = "// expect: ";
constexpr std::string_view kRanks = "// ranks: ";
constexpr std::string_view kFullSize = "// full size: count=";
constexpr std::string_view kInBoth = "in both, instead of ";

struct Cheat {
  std::string expected;
  std::string text;
  bool own_parent = false;
  uint32_t rank_count = 2;
  std::string baseline = *read_file(kFolder / "baseline.cu");
  bool allow_lossy = false;
  std::optional<int64_t> full_count = {};
  bool two_nodes = false;
};

std::string baseline_text() { return *read_file(kFolder / "baseline.cu"); }

// The text between the markers of the block, in lines of its own.
void replace_block(std::string& program, size_t index, const std::string& text) {
  size_t begin = 0;
  for (size_t i = 0; i <= index; i++) begin = program.find(kStart, begin) + kStart.size();
  size_t end = program.rfind('\n', program.find(kEnd, begin)) + 1;
  program.replace(begin, end - begin, text);
}

struct Section {
  std::string title;
  std::string text;
};

std::vector<Section> sections_of(const std::string& file) {
  std::vector<Section> sections = {{}};
  for (const std::string& line : split(file, '\n'))
    if (line.starts_with("//--- "))
      sections.push_back({line.substr(6), ""});
    else
      sections.back().text += line + "\n";
  for (Section& section : sections) section.text = std::string(trim(section.text)) + "\n";
  return sections;
}

Cheat read_cheat(const fs::path& path) {
  std::string file = *read_file(path);
  std::vector<Section> sections = sections_of(file);
  Cheat cheat;
  cheat.text = baseline_text();
  cheat.expected = std::string(split(file, '\n')[0].substr(kExpect.size()));
  cheat.own_parent = sections[0].text.find("// own parent") != std::string::npos;
  for (const std::string& line : split(sections[0].text, '\n'))
    if (line.starts_with(kRanks)) cheat.rank_count = static_cast<uint32_t>(std::stoul(line.substr(kRanks.size())));
  cheat.allow_lossy = sections[0].text.find("// allow lossy") != std::string::npos;
  if (size_t at = sections[0].text.find(kFullSize); at != std::string::npos)
    cheat.full_count = std::atoll(sections[0].text.c_str() + at + kFullSize.size());
  cheat.two_nodes = sections[0].text.find("// nodes: 2") != std::string::npos;
  for (const Section& section : sections) {
    if (section.title == "kernels") replace_block(cheat.text, 0, section.text);
    if (section.title == "step") replace_block(cheat.text, 1, section.text);
    if (section.title.starts_with(kInBoth))
      for (std::string* text : {&cheat.text, &cheat.baseline})
        *text = replace_all(*text, section.title.substr(kInBoth.size()), std::string(trim(section.text)));
    if (section.title.starts_with("instead of "))
      cheat.text = replace_all(cheat.text, section.title.substr(11), std::string(trim(section.text)));
  }
  return cheat;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".cu" && entry.path().stem() != "baseline")
      all.push_back(entry.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

// One for all tests, so that the baseline runs once.
const fs::path& cache_folder() {
  static const ScratchFolder folder = ScratchFolder::make("cuco-cheats-cache").value();
  return folder.path();
}

EvaluationRequest request_for(const Cheat& cheat) {
  EvaluationRequest request;
  request.configuration.profile = cheat.two_nodes ? "a100-2node-roce" : "a100x4-nvlink";
  request.configuration.rank_count = cheat.rank_count;
  request.configuration.node_count = cheat.two_nodes ? 2 : 1;
  if (cheat.full_count) {
    request.proofs = {{request.configuration, {}, "the usual count"}};
    request.configuration.parameters = {{"count", *cheat.full_count}};
  }
  request.allow_lossy = cheat.allow_lossy;
  request.baseline = {{"program.cu", cheat.baseline}};
  request.candidate = {{"program.cu", cheat.text}};
  request.parent = cheat.own_parent ? request.candidate : request.baseline;
  request.flags.definitions = {concat("CUCO_TEST_CACHE=\"", cache_folder().string(), "\"")};
  request.seed_count = 2;
  request.limits = {3, uint64_t{1} << 30, uint64_t{16} << 20};
  request.with_nvcc = false;
  request.cache = Cache(cache_folder());
  request.tools = find_tools(share_folder().value(), RealEnvironment()).value();
  return request;
}

// "passed", or "LEVEL KIND" of every error: a trick often shows in more than one way.
std::vector<std::string> outcomes_of(const Verdict& verdict) {
  std::vector<std::string> all;
  for (const Finding& finding : verdict.findings)
    if (finding.is_error()) all.push_back(concat(to_text(finding.level), " ", finding.kind));
  if (all.empty() && verdict.reached == Level::Timed) all.push_back("passed");
  return all;
}

bool holds(const std::vector<std::string>& all, const std::string& wanted) {
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

class CheatTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    RealProcessRunner processes;
    if (Status works = check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
    setenv("CUCO_TEST_KEY", "secret", 1);
  }
};

TEST_P(CheatTest, ComesOutAsItSays) {
  Cheat cheat = read_cheat(kFolder / (GetParam() + ".cu"));
  ASSERT_NE(cheat.text, baseline_text()) << "the file changes nothing";
  Result<Verdict> verdict = evaluate(request_for(cheat));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_TRUE(holds(outcomes_of(*verdict), cheat.expected)) << cheat.expected << " expected\n" << to_text(*verdict);
  EXPECT_EQ(to_text(*verdict), printable(to_text(*verdict))) << "a terminal would obey this";
}

INSTANTIATE_TEST_SUITE_P(Cheats, CheatTest, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string>& test) { return test.param; });

TEST(Cheats, AreAtLeastAHundredAndFortyHonestOnesStandBeside) {
  std::vector<std::string> all = names();
  auto honest =
      std::count_if(all.begin(), all.end(), [](const std::string& name) { return name.starts_with("honest_"); });
  EXPECT_GE(honest, 40);
  EXPECT_GE(static_cast<long>(all.size()) - honest, 100);
}

size_t verdicts_in(const fs::path& cache) {
  std::error_code none;
  return static_cast<size_t>(std::distance(fs::directory_iterator(cache / "verdicts", none), {}));
}

TEST(Evaluation, RemembersNoVerdictThatThisMachineMayHaveCaused) {
  RealProcessRunner processes;
  if (Status works = check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
  ScratchFolder cache = ScratchFolder::make("cuco-cheats-limits").value();
  for (const auto& [name, count] : {std::pair("contained_allocation", 0u),
                                    {"ends_process_unseen", 0u},
                                    {"contained_stubborn", 0u},
                                    {"compiler_bomb", 0u},
                                    {"permutes", 1u}}) {
    EvaluationRequest request = request_for(read_cheat(kFolder / concat(name, ".cu")));
    request.cache = Cache(cache.path());
    ASSERT_TRUE(evaluate(request).ok());
    EXPECT_EQ(verdicts_in(cache.path()), count) << name;
  }
}

TEST(Evaluation, BaselinePassesAndTwoEvaluationsAreEqualByteForByte) {
  RealProcessRunner processes;
  if (Status works = check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
  EvaluationRequest request = request_for({"", baseline_text(), false});
  Result<Verdict> cached = evaluate(request);
  ASSERT_TRUE(cached.ok()) << cached.error().message;
  EXPECT_TRUE(holds(outcomes_of(*cached), "passed")) << to_text(*cached);
  EvaluationRequest moved = request;
  moved.candidate[0].text = replace_all(baseline_text(), "\nvoid step(Job& job) {\n  // EVOLVE-BLOCK-START\n",
                                        "\n// EVOLVE-BLOCK-START\nvoid step(Job& job) {\n");
  ASSERT_NE(moved.candidate[0].text, baseline_text());
  EXPECT_TRUE(holds(outcomes_of(*evaluate(moved)), "text frozen_text")) << "only a comment moved, but it is a marker";
  request.cache = Cache();
  request.job_count = 2;
  Result<Verdict> again = evaluate(request);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_json(*cached), to_json(*again));
  EXPECT_FALSE(again->baseline_us) << "a baseline has no baseline";
}

ProofSize size_of(const EvaluationRequest& request, int64_t count) {
  ProofSize size{request.configuration, {}, concat("count=", count, " (of 100000)")};
  size.configuration.parameters = {{"count", count}};
  return size;
}

// A case of 100000 and two sizes at which candidates are executed whole.
EvaluationRequest proved_request(const std::string& candidate) {
  EvaluationRequest request = request_for({"", candidate, true});
  request.configuration.parameters = {{"count", 100'000}};
  request.proofs = {size_of(request, 128), size_of(request, 99)};
  request.seed_count = 3;
  request.repeat = "cuco evaluate w -- own";
  return request;
}

// Its last elements are wrong wherever the count is not a multiple of 64.
std::string wrong_where_uneven() {
  return replace_all(baseline_text(), "part[i] = 2.0f * input[i]",
                     "part[i] = (i < count / 64 * 64 ? 2.0f : 3.0f) * input[i]");
}

class ProofTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RealProcessRunner processes;
    if (Status works = check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
  }
};

TEST_F(ProofTest, SeedsAreDealtOutOverTheSizesAndTheTimeIsOfTheCase) {
  std::string honest =
      replace_all(baseline_text(), "<<<(job.count + 63) / 64, 64, 0", "<<<(job.count + 31) / 32, 32, 0");
  Result<Verdict> verdict = evaluate(proved_request(honest));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_TRUE(holds(outcomes_of(*verdict), "passed")) << to_text(*verdict);
  EXPECT_EQ(verdict->schedules_run, 3u);
  EXPECT_EQ(verdict->proved_at, (std::vector<std::string>{"count=128 (of 100000)", "count=99 (of 100000)"}));
  EXPECT_TRUE(verdict->timing->sampled);
  EXPECT_LT(verdict->timing->blocks_run, 0.1);
  EXPECT_TRUE(verdict->baseline_us);
}

TEST_F(ProofTest, WhatIsWrongAtOneSizeIsRejectedThere) {
  Result<Verdict> verdict = evaluate(proved_request(wrong_where_uneven()));
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_TRUE(holds(outcomes_of(*verdict), "verified wrong_result")) << to_text(*verdict);
  EXPECT_EQ(verdict->findings[0].repeat, "cuco evaluate w --proof \"count=99\" --seed 3 --seeds 1 -- own");
  EXPECT_TRUE(holds(verdict->notes, "found at count=99 (of 100000)")) << to_text(*verdict);
  EXPECT_FALSE(verdict->timing);
}

TEST_F(ProofTest, OneSeedIsOfTheFirstSizeAlone) {
  EvaluationRequest request = proved_request(wrong_where_uneven());
  request.seed_count = 1;
  Result<Verdict> verdict = evaluate(request);
  ASSERT_TRUE(verdict.ok()) << verdict.error().message;
  EXPECT_FALSE(holds(outcomes_of(*verdict), "verified wrong_result")) << to_text(*verdict);
  EXPECT_EQ(verdict->proved_at.size(), 1u);
}

// Right where it is proved, wrong beyond.
TEST_F(ProofTest, ResultsOfTheCaseAreComparedOnlyOfWhatTakesLessThanOthers) {
  EvaluationRequest request = proved_request(
      replace_all(baseline_text(), "part[i] = 2.0f * input[i]", "part[i] = (count > 1024 ? 3.0f : 2.0f) * input[i]"));
  Result<Verdict> compared = evaluate(request);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  EXPECT_TRUE(holds(outcomes_of(*compared), "timed wrong_result")) << to_text(*compared);
  request.compared_below_us = 0.001;
  Result<Verdict> slower = evaluate(request);
  ASSERT_TRUE(slower.ok()) << slower.error().message;
  EXPECT_TRUE(slower->passed()) << to_text(*slower);
  EXPECT_TRUE(holds(slower->notes, "results at full size were not compared: others take 0.001 us or less"));
}

TEST_F(ProofTest, SizeThatTheOriginalRefusesIsAnErrorWithItsName) {
  EvaluationRequest request = proved_request(baseline_text());
  request.proofs[0].configuration.parameters = {{"count", -1}};
  Result<Verdict> verdict = evaluate(request);
  ASSERT_FALSE(verdict.ok());
  EXPECT_TRUE(verdict.error().message.starts_with("at count=128 (of 100000): the baseline")) << verdict.error().message;
}

}  // namespace
}  // namespace cuco::evaluate
