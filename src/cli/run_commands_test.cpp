// The commands that look at a run, on one that was written by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "cli/fixtures.h"
#include "evaluate/verdict.h"
#include "store/run_folder.h"
#include "store/store.h"
#include "testing/scratch_folder.h"

namespace cuco::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

store::Judgement judgement(store::Id candidate, const std::string& depth, std::optional<double> time_us) {
  evaluate::Verdict verdict;
  verdict.reached = time_us ? evaluate::Level::Timed : evaluate::Level::Built;
  verdict.schedules_run = 4;
  if (!time_us)
    verdict.findings.push_back(
        {evaluate::Level::Verified, "deadlock", model::Severity::Error, 1, "rank 1 waits", 3, ""});
  store::Judgement result;
  result.candidate = candidate;
  result.depth = depth;
  result.level = evaluate::to_text(verdict.reached);
  result.passed = time_us.has_value();
  result.time_us = time_us;
  result.score = time_us ? 10'000 / (1 + *time_us / 1000) : 0;
  result.hidden = time_us ? std::optional(0.5) : std::nullopt;
  result.verdict = evaluate::to_json(verdict);
  return result;
}

store::Candidate candidate(store::Id id, const std::string& proposer, const std::string& text) {
  store::Candidate result;
  result.id = id;
  result.parent = id == 1 ? store::kNoId : 1;
  result.proposer = proposer;
  result.intent = concat("idea ", id, ", \"quoted\"");
  result.plan = "s1 lsa/stream/barrier/cta/whole\n";
  if (!text.empty()) result.files = {{"program.cu", text}};
  return result;
}

store::Step first_step() {
  store::Step step;
  step.number = 1;
  step.candidates = {candidate(1, "baseline", "a\nb\nc\n"), candidate(2, "rules", "a\nx\nc\n"),
                     candidate(3, "rules", "a\nb\n"), candidate(4, "some-model", "")};
  step.candidates[3].failure = "the reply held no program";
  step.judgements = {judgement(1, "screen", 2000), judgement(2, "screen", 500), judgement(3, "screen", std::nullopt)};
  step.lessons = {{"statistics", "placement stream pays 2.00x in 1 of 1"}};
  return step;
}

store::Step last_step() {
  store::Step step;
  step.number = 2;
  step.judgements = {judgement(2, "full", 500)};
  step.events = {{"stop", "The budget is spent."}, {"end", "#2 is the best."}};
  return step;
}

class RunCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder());
    store::Store store =
        store::Store::create(store::store_file_of(folder()), {"mine", "small", "cuco optimize mine", "{}"}).value();
    store.commit(first_step()).value();
    store.commit(last_step()).value();
  }
  fs::path folder() const { return scratch_.path() / "runs" / "mine-small"; }
  Outcome on_run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, folder().string());
    return run(arguments);
  }

  cuco::testing::ScratchFolder scratch_;
};

TEST_F(RunCommands, RunsListsWhatWasFound) {
  Outcome outcome = run({"runs", (scratch_.path() / "runs").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "run         program  configuration  evaluations  best      time  speed-up  state"))
      << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "mine-small  mine     small                    3    #2  500.0 us     4.00x  finished"))
      << outcome.out;
}

TEST_F(RunCommands, RunsAsData) {
  Json json = Json::parse(run({"runs", folder().string(), "--json"}).out);
  EXPECT_EQ(json[0]["run"], "mine-small");
  EXPECT_EQ(json[0]["best"], 2);
  EXPECT_EQ(json[0]["speedup"], 4.0);
  EXPECT_EQ(json[0]["rejected"], 1);
}

TEST_F(RunCommands, ARunThatCannotBeReadDoesNotHideTheOthers) {
  fs::path broken = scratch_.path() / "runs" / "broken";
  fs::create_directories(broken);
  std::ofstream(store::store_file_of(broken)) << std::string(5000, 'x');
  Outcome outcome = run({"runs", (scratch_.path() / "runs").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.out, "mine-small"));
  EXPECT_TRUE(holds(outcome.err, "is not a store of cuco")) << outcome.err;
}

TEST_F(RunCommands, AStoppedRunAndARunningOneAreToldApart) {
  fs::path other = scratch_.path() / "runs" / "other";
  std::optional<store::RunFolder> held = store::RunFolder::create(other, "cuco optimize other").value();
  store::Store::create(held->store_file(), {"other", "", "cuco optimize other", "{}"}).value();
  EXPECT_EQ(Json::parse(run({"runs", other.string(), "--json"}).out)[0]["state"], "running");
  held.reset();
  EXPECT_EQ(Json::parse(run({"runs", other.string(), "--json"}).out)[0]["state"], "stopped");
  EXPECT_TRUE(holds(run({"show", other.string()}).out, "state    stopped; 'cuco resume "));
}

TEST_F(RunCommands, FoldersWithoutRunsAreNamed) {
  EXPECT_EQ(run({"runs", "/nowhere"}).err, "/nowhere: no such folder; 'cuco optimize' makes one\n");
  EXPECT_EQ(run({"runs", folder().string() + "/.."}).exit_code, 0);
  fs::path empty = scratch_.path() / "empty";
  fs::create_directories(empty);
  EXPECT_EQ(run({"runs", empty.string()}).err, concat(empty.string(), ": holds no runs; 'cuco optimize' makes one\n"));
}

TEST_F(RunCommands, ShowListsCandidatesWithTheirOutcome) {
  Outcome outcome = on_run({"show"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"mine, small\n", "state    finished: The budget is spent.\n",
                           "4 candidates, 3 evaluated, 1 rejected\n", "best #2, 500.0 us, 4.00x\n",
                           "passed, closer look", "rejected after 'built'", "no program", "the reply held no program"})
    EXPECT_TRUE(holds(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST_F(RunCommands, ShowSaysWhyTheBestIsFaster) {
  EXPECT_TRUE(holds(on_run({"show"}).out,
                    "best #2, 500.0 us, 4.00x\n"
                    "In the best program messages travel beside kernels that do not need them.\n"
                    "Best #2 takes 500.0 us, 1.500 ms less than the baseline.\n\n"))
      << on_run({"show"}).out;
}

TEST_F(RunCommands, ShowHasNoReasonsWhereNothingIsFaster) {
  fs::path other = scratch_.path() / "runs" / "other";
  fs::create_directories(other);
  store::Store store = store::Store::create(store::store_file_of(other), {"other", "", "cuco optimize", "{}"}).value();
  store::Step step;
  step.number = 1;
  step.candidates = {candidate(1, "baseline", "a\n")};
  step.judgements = {judgement(1, "screen", 2000)};
  store.commit(step).value();
  std::string text = run({"show", other.string()}).out;
  EXPECT_TRUE(holds(text, "best #1, 2.000 ms, 1.00x\n\n")) << text;
}

TEST_F(RunCommands, ShowOfOneGivesItsVerdictInText) {
  Outcome outcome = on_run({"show", "3"});
  for (const char* part :
       {"candidate #3 by rules", "parent #1", "idea 3", "s1 lsa/stream/barrier/cta/whole", "reached 'built'",
        "rejected: deadlock, rank 1, seed 3: rank 1 waits", "program.cu, 2 lines"})
    EXPECT_TRUE(holds(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST_F(RunCommands, ShowTextIsTheFileAlone) {
  EXPECT_EQ(on_run({"show", "best", "--text"}).out, "a\nx\nc\n");
  EXPECT_EQ(on_run({"show", "#1", "--text"}).out, "a\nb\nc\n");
  EXPECT_EQ(on_run({"show", "4", "--text"}).err, "candidate #4 has no files: the reply held no program\n");
  EXPECT_EQ(on_run({"show", "--text"}).exit_code, 2);
}

TEST_F(RunCommands, ShowAsData) {
  EXPECT_EQ(Json::parse(on_run({"show", "--json"}).out).size(), 4u);
  Json json = Json::parse(on_run({"show", "2", "--json", "--text"}).out);
  EXPECT_EQ(json["judgements"].size(), 2u);
  EXPECT_EQ(json["judgements"][1]["depth"], "full");
  EXPECT_TRUE(json["judgements"][1]["verdict"].is_object());
  EXPECT_EQ(json["files"][0]["text"], "a\nx\nc\n");
}

TEST_F(RunCommands, DiffComparesTwoCandidates) {
  EXPECT_EQ(on_run({"diff", "baseline", "2"}).out,
            "program.cu: 1 line changed\n--- 1/program.cu\n+++ 2/program.cu\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
  EXPECT_EQ(on_run({"diff", "1", "2", "--context", "0"}).out,
            "program.cu: 1 line changed\n--- 1/program.cu\n+++ 2/program.cu\n@@ -2 +2 @@\n-b\n+x\n");
  EXPECT_EQ(on_run({"diff", "2", "best"}).out, "");
  EXPECT_EQ(on_run({"diff", "1", "4"}).err, "candidate #4 has no files: the reply held no program\n");
}

TEST_F(RunCommands, DiffIsOfBaselineAndBestUnlessGiven) {
  EXPECT_EQ(on_run({"diff"}).out, on_run({"diff", "baseline", "best"}).out);
  EXPECT_EQ(on_run({"diff", "--stat"}).out, "program.cu: 1 line changed\n");
  EXPECT_EQ(on_run({"diff", "3", "--stat"}).out, "program.cu: 1 line changed, 1 added\n");
}

TEST_F(RunCommands, DiffCountsHeadersOfCucoAndShowsThemNot) {
  fs::path share = scratch_.path() / "share";
  fs::create_directories(share / "device/cuco/comm");
  std::ofstream(share / "device/cuco/comm.cuh") << "#include <cuco/comm/put.cuh>\n";
  std::ofstream(share / "device/cuco/comm/put.cuh") << "// One.\n// Two.\n";
  store::Store store = store::Store::open(store::store_file_of(folder())).value();
  store::Step step;
  step.number = 3;
  step.candidates = {candidate(5, "rules", "a\n#include <cuco/comm.cuh>\nb\nc\n")};
  ASSERT_TRUE(store.commit(step).ok());
  EXPECT_EQ(run({"diff", folder().string(), "1", "5", "--stat"}, share).out,
            "program.cu: 1 line added\nwith 2 headers of cuco, 3 lines, not shown\n");
}

TEST_F(RunCommands, DiffShowsMarksOfWhatMayEvolveOnlyWhereTheFileHadSome) {
  store::Store store = store::Store::open(store::store_file_of(folder())).value();
  store::Step step;
  step.number = 3;
  step.candidates = {candidate(5, "rules", "// EVOLVE-BLOCK-START\na\ny\n// EVOLVE-BLOCK-END\nc\n"),
                     candidate(6, "rules", "a\n// EVOLVE-BLOCK-START\ny\n// EVOLVE-BLOCK-END\nc\n")};
  ASSERT_TRUE(store.commit(step).ok());
  EXPECT_EQ(on_run({"diff", "1", "5"}).out,
            "program.cu: 1 line changed\n--- 1/program.cu\n+++ 5/program.cu\n@@ -1,3 +1,3 @@\n a\n-b\n+y\n c\n");
  EXPECT_EQ(on_run({"diff", "5", "6", "--stat"}).out, "program.cu: 1 line added, 1 removed\n");
}

TEST_F(RunCommands, ExportsCsv) {
  std::vector<std::string> lines = split(on_run({"export", "--csv"}).out, '\n');
  ASSERT_GE(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("id,parent,other_parent,island,generation,proposer,cost_usd,depth,")) << lines[0];
  EXPECT_EQ(lines[3], "2,1,,0,0,rules,0,full,timed,1,500,,0.5,4,6666.666666666667,0,\"s1 lsa/stream/barrier/cta/whole");
  EXPECT_EQ(lines[4], "\",\"idea 2, \"\"quoted\"\"\",");
}

TEST_F(RunCommands, ExportsJson) {
  Json json = Json::parse(on_run({"export", "--json"}).out);
  EXPECT_EQ(json["campaign"]["program"], "mine");
  EXPECT_EQ(json["candidates"].size(), 4u);
  EXPECT_FALSE(json["candidates"][0]["files"][0].contains("text"));
  EXPECT_EQ(json["events"][1]["kind"], "end");
  EXPECT_EQ(json["lessons"][0]["author"], "statistics");
}

TEST_F(RunCommands, ExportNeedsOneForm) {
  EXPECT_EQ(on_run({"export"}).exit_code, 2);
  EXPECT_EQ(on_run({"export", "--csv", "--json"}).exit_code, 2);
  EXPECT_EQ(on_run({"export", "--csv", "--text"}).exit_code, 2);
}

TEST_F(RunCommands, LessonsAreShownInOrder) {
  EXPECT_EQ(on_run({"lessons"}).out, "statistics: placement stream pays 2.00x in 1 of 1\n");
  EXPECT_EQ(Json::parse(on_run({"lessons", "--json"}).out)[0]["author"], "statistics");
}

TEST_F(RunCommands, BadIdsAreNamedWithTheRange) {
  for (const std::string id : {"0", "5", "x", "2x", "#", "99999999999999999999"}) {
    Outcome outcome = on_run({"show", id});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, concat("no candidate '", id, "': the run has 1 to 4, baseline and best\n"));
  }
}

TEST_F(RunCommands, ARunIsFoundByItsNameUnderRuns) {
  fs::path before = fs::current_path();
  fs::current_path(scratch_.path());
  Outcome found = run({"lessons", "mine-small"});
  Outcome misspelt = run({"lessons", "mine-smal"});
  Outcome unknown = run({"show", "quite-another"});
  fs::current_path(before);
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(misspelt.err, "mine-smal: no such run; did you mean 'mine-small'?\n");
  EXPECT_EQ(unknown.err, "quite-another: no such run; in ./runs there are: mine-small\n");
  EXPECT_EQ(unknown.exit_code, 2);
}

TEST_F(RunCommands, LookingAtARunLeavesItAsItIs) {
  on_run({"show"});
  on_run({"export", "--json"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace cuco::cli
