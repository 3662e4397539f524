// Evaluates exchange.cu, whose head says what its forms are. Two of them are wrong from the second call on.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "evaluate/evaluate.h"
#include "evaluate/sandbox.h"

namespace cuco::evaluate {
namespace {

const std::filesystem::path kTests = std::filesystem::path(CUCO_SOURCE_DIR) / "tests";

struct Form {
  int exchange = 0;
  int rounds = 1;
  std::string in_region = "(void)0";
};

// The first lines come before the program's own: its lines stand further down by two.
std::string text_of(const Form& form) {
  std::string text = *read_file(kTests / "plain" / "exchange.cu");
  text = replace_all(text, "#define EXCHANGE 0", concat("#define EXCHANGE ", form.exchange));
  return concat("#define ROUNDS ", form.rounds, "\n#define IN_REGION ", form.in_region, "\n", text);
}

const std::filesystem::path& cache_folder() {
  static const ScratchFolder folder = ScratchFolder::make("cuco-plain-cache").value();
  return folder.path();
}

Verdict evaluated(const std::string& baseline, const std::string& candidate, uint32_t calls = 0) {
  EvaluationRequest request;
  request.configuration.profile = "a100x4-nvlink";
  request.configuration.rank_count = 3;
  request.baseline = {{"program.cu", baseline}};
  request.candidate = {{"program.cu", candidate}};
  request.parent = request.candidate;
  request.flags.include_folders = {kTests / "harness"};
  request.plain = request.rewritten = true;
  request.seed_count = 3;
  request.calls = calls;
  request.with_nvcc = false;
  request.cache = Cache(cache_folder());
  request.tools = find_tools(share_folder().value(), RealEnvironment()).value();
  Result<Verdict> verdict = evaluate(request);
  EXPECT_TRUE(verdict.ok()) << verdict.error().message;
  return verdict ? *verdict : Verdict();
}

Verdict evaluated(const Form& baseline, int exchange) {
  Form candidate = baseline;
  candidate.exchange = exchange;
  return evaluated(text_of(baseline), text_of(candidate));
}

bool has_error(const Verdict& verdict, std::string_view kind) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind && finding.is_error(); });
}

bool has_note(const Verdict& verdict, const std::string& text) {
  return std::any_of(verdict.notes.begin(), verdict.notes.end(),
                     [&](const std::string& note) { return note.find(text) != note.npos; });
}

class PlainLoop : public ::testing::Test {
 protected:
  void SetUp() override {
    RealProcessRunner processes;
    if (Status works = check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
  }
};

TEST_F(PlainLoop, RegionIsCalledTwentyTimesAndHonestProgramsPass) {
  for (int exchange : {0, 1, 3}) {
    Verdict verdict = evaluated(Form{}, exchange);
    EXPECT_TRUE(verdict.passed()) << exchange << "\n" << to_text(verdict);
    EXPECT_TRUE(has_note(verdict, "its region is called 20 times in a schedule")) << to_text(verdict);
    EXPECT_TRUE(has_note(verdict, "what it copies to its devices before the region is changed")) << to_text(verdict);
  }
}

TEST_F(PlainLoop, PlaceThatMayNotBeFreeIsARace) {
  Verdict verdict = evaluated(Form{}, 2);
  EXPECT_TRUE(has_error(verdict, "window_race")) << to_text(verdict);
  EXPECT_FALSE(verdict.passed());
}

TEST_F(PlainLoop, WaitThatEarlierCallsHaveMetIsARace) {
  Verdict verdict = evaluated(Form{}, 4);
  EXPECT_TRUE(has_error(verdict, "window_race")) << to_text(verdict);
  EXPECT_FALSE(verdict.passed());
}

TEST_F(PlainLoop, RegionIsCalledUntilItsFlagsHaveComeRound) {
  Verdict honest = evaluated(Form{}, 5), stale = evaluated(Form{}, 6);
  EXPECT_TRUE(honest.passed()) << to_text(honest);
  EXPECT_TRUE(has_note(honest, "its region is called 180 times in a schedule")) << to_text(honest);
  EXPECT_TRUE(has_error(stale, "window_race")) << to_text(stale);
  EXPECT_FALSE(stale.passed());
}

// The program with its events recorded in another way: `before` and `after` stand around the call.
std::string recorded_by(int exchange, const std::string& before, const std::string& after) {
  std::string text = text_of({exchange});
  text =
      replace_all(text, "int main(",
                  "void note(cudaEvent_t event, cudaStream_t on) { CHECK(cudaEventRecord(event, on)); }\n\nint main(");
  for (const char* event : {"start", "stop"})
    text = replace_all(text, concat("CHECK(cudaEventRecord(", event, ", ranks.stream));"),
                       concat(before, event, ", ranks.stream", after));
  return text;
}

TEST_F(PlainLoop, EndsUnderConditionsAndInFunctionsAreFound) {
  const std::pair<std::string, std::string> ways[] = {{"if (ranks.count > 1) { CHECK(cudaEventRecord(", ")); }"},
                                                      {"note(", ");"}};
  for (const auto& [before, after] : ways) {
    SCOPED_TRACE(before);
    std::string baseline = recorded_by(0, before, after);
    Verdict honest = evaluated(baseline, recorded_by(1, before, after)),
            racing = evaluated(baseline, recorded_by(2, before, after));
    EXPECT_TRUE(honest.passed()) << to_text(honest);
    EXPECT_TRUE(has_note(honest, "its region is called 20 times in a schedule")) << to_text(honest);
    EXPECT_TRUE(has_error(racing, "window_race")) << to_text(racing);
  }
}

TEST_F(PlainLoop, FindingsNameTheLinesOfTheProgram) {
  Verdict verdict = evaluated(Form{}, 2);
  std::vector<std::string> lines = split(text_of({2}), '\n');
  auto line = std::find_if(lines.begin(), lines.end(), [](const std::string& each) {
    return each.find("target[comm.rank * n + i] = part[i];") != each.npos;
  });
  std::string place = concat("program.cu:", line - lines.begin() + 1);
  EXPECT_NE(to_text(verdict).find(place), std::string::npos) << place << "\n" << to_text(verdict);
}

TEST_F(PlainLoop, ProgramWithALoopOfItsOwnRunsAsItIs) {
  Verdict honest = evaluated({0, 6}, 1), racing = evaluated({0, 6}, 2);
  EXPECT_TRUE(honest.passed()) << to_text(honest);
  EXPECT_TRUE(has_note(honest, "its own loop calls its region 6 times")) << to_text(honest);
  EXPECT_TRUE(has_error(racing, "window_race")) << to_text(racing);
}

TEST_F(PlainLoop, FewRoundsOfItsOwnAreMadeMore) {
  Verdict honest = evaluated({0, 2}, 1), racing = evaluated({0, 2}, 2);
  EXPECT_TRUE(honest.passed()) << to_text(honest);
  EXPECT_TRUE(has_note(honest, "its region is called 20 times in a schedule")) << to_text(honest);
  EXPECT_TRUE(has_error(racing, "window_race")) << to_text(racing);
}

// Once, none of the faults can be seen: the loop is what shows them.
TEST_F(PlainLoop, RegionThatMakesWhatProgramsMakeOnceIsCalledOnce) {
  Form form{0, 1, "float* more = allocate<float>(n); CHECK(cudaFree(more))"};
  for (int exchange : {1, 2, 4}) {
    Verdict verdict = evaluated(form, exchange);
    EXPECT_TRUE(verdict.passed()) << exchange << "\n" << to_text(verdict);
    EXPECT_TRUE(has_note(verdict, "its region is called once (")) << to_text(verdict);
    EXPECT_TRUE(has_note(verdict, " stands in it)")) << to_text(verdict);
  }
}

TEST_F(PlainLoop, BaselineThatDoesNotPassInALoopIsCalledOnce) {
  Verdict verdict = evaluated({0, 1, "if (call == 3) exit(1)"}, 1);
  EXPECT_TRUE(verdict.passed()) << to_text(verdict);
  EXPECT_TRUE(has_note(verdict, "in a loop it does not pass itself: ")) << to_text(verdict);
}

TEST_F(PlainLoop, CandidateWhoseRegionCannotBeCalledAgainIsRejected) {
  std::string text = replace_all(text_of({}), "CHECK(cudaEventRecord(stop",
                                 "int cuco_region = 0;\n(void)cuco_region;\nCHECK(cudaEventRecord(stop");
  Verdict verdict = evaluated(text_of({}), text);
  EXPECT_TRUE(has_error(verdict, "not_repeatable")) << to_text(verdict);
  EXPECT_FALSE(verdict.passed());
}

// Nothing makes the ranks of this one meet before the region.
TEST_F(PlainLoop, RankThatBeginsLateGetsItsInputsAnewToo) {
  std::string text = *read_file(kTests / "harness" / "plain_dot.cu");
  Verdict verdict = evaluated(text, text);
  EXPECT_TRUE(verdict.passed()) << to_text(verdict);
  EXPECT_TRUE(has_note(verdict, "its region is called 20 times")) << to_text(verdict);
}

TEST_F(PlainLoop, NumberOfCallsCanBeAskedFor) {
  Verdict verdict = evaluated(text_of({}), text_of({3}), 7);
  EXPECT_TRUE(verdict.passed()) << to_text(verdict);
  EXPECT_TRUE(has_note(verdict, "its region is called 7 times")) << to_text(verdict);
}

}  // namespace
}  // namespace cuco::evaluate
