// A search in which a model proposes and the virtual cluster judges. The replies under replies/ were given through
// `mailbox:` to the prompts of this very search; they name blocks, not lines of a parent, so that they stay usable when
// the search comes to choose other parents.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/evaluate.h"
#include "evaluate/sandbox.h"
#include "evolve/proposers/model.h"
#include "evolve/search.h"
#include "llm/session.h"
#include "testing/scratch_folder.h"

namespace cuco::evolve {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests" / "search_model";

// One schedule for each candidate, whatever the depth.
class Cascade : public Evaluator {
 public:
  Cascade(std::vector<SourceFile> baseline, const fs::path& cache) {
    request_.configuration.profile = "a100-2node-roce";
    request_.configuration.rank_count = request_.configuration.node_count = 2;
    request_.baseline = baseline;
    request_.seed_count = 1;
    request_.with_nvcc = false;
    request_.cache = evaluate::Cache(cache);
    request_.tools = evaluate::find_tools(share_folder().value(), RealEnvironment()).value();
  }

  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) override {
    std::vector<evaluate::Verdict> verdicts;
    for (const Task& task : tasks) {
      evaluate::EvaluationRequest request = request_;
      request.candidate = task.candidate->files;
      if (task.parent != nullptr) request.parent = task.parent->files;
      Result<evaluate::Verdict> verdict = evaluate::evaluate(request);
      if (!verdict) return verdict.error();
      verdicts.push_back(*std::move(verdict));
    }
    return verdicts;
  }

 private:
  evaluate::EvaluationRequest request_;
};

const store::Candidate& candidate(const std::vector<store::Step>& steps, store::Id id) {
  static const store::Candidate none;
  for (const store::Step& step : steps)
    for (const store::Candidate& each : step.candidates)
      if (each.id == id) return each;
  ADD_FAILURE() << "no candidate " << id;
  return none;
}

// The first one: the screening.
const store::Judgement& judgement(const std::vector<store::Step>& steps, store::Id id) {
  static const store::Judgement none;
  for (const store::Step& step : steps)
    for (const store::Judgement& each : step.judgements)
      if (each.candidate == id) return each;
  ADD_FAILURE() << "no judgement of " << id;
  return none;
}

class SearchModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RealProcessRunner processes;
    if (Status works = evaluate::check_sandbox(processes); !works) GTEST_SKIP() << works.error().message;
    baseline_.files = {{"halves.cu", *read_file(kFolder / "halves.cu")}};
    baseline_.plan = "s1 host/deferred/stream-event/cta/whole\n";
    baseline_.proposer = "baseline";
  }

  // The n-th call prints the n-th reply and counts in a file of its own.
  std::string recorded_replies() {
    fs::path script = scratch_.path() / "answer.sh";
    std::string calls = (scratch_.path() / "calls").string();
    EXPECT_TRUE(write_file(script, concat("echo x >> ", calls, " && cat '", (kFolder / "replies").string(),
                                          "'/$(wc -l < ", calls, " | tr -d ' ').txt\n"))
                    .ok());
    return concat("command:sh ", script.string());
  }

  std::vector<store::Step> search_with(llm::Model* model, store::Log& log, const std::string& name) {
    store::Store store = store::Store::create(scratch_.path() / name, {"halves", "", "", "{}"}).value();
    Cascade cascade(baseline_.files, scratch_.path() / "cache");
    ModelProposerInput proposer;
    proposer.share = CUCO_SOURCE_DIR;
    proposer.model = {"recorded", model, &log};
    proposer.sites = {"s1"};
    proposer.analysis = "One site, s1: ncclAllGather, fed by square, feeding fold; iterate is independent of it.";
    SearchInput input;
    input.options.budget_evaluations = 4;
    input.options.batch = input.options.islands = 1;
    input.baseline = baseline_;
    input.proposers.push_back({*ModelProposer::make(proposer), {}});
    input.evaluator = &cascade;
    input.store = &store;
    Result<Outcome> outcome = search(input);
    EXPECT_TRUE(outcome.ok()) << (outcome ? "" : outcome.error().message);
    if (outcome) outcome_ = *outcome;
    return store.steps().value();
  }

  testing::ScratchFolder scratch_;
  store::Candidate baseline_;
  Outcome outcome_;
};

TEST_F(SearchModelTest, TheModelsProgramIsVerifiedFasterAndTheLogAloneRepeatsTheRun) {
  RealEnvironment environment;
  llm::RealClock clock;
  std::unique_ptr<llm::Session> session = *llm::Session::open(CUCO_SOURCE_DIR, {}, environment, clock);
  store::Log log = store::Log::open(scratch_.path() / "log.jsonl").value();
  std::vector<store::Step> steps = search_with(*session->model(recorded_replies()), log, "first.sqlite");

  EXPECT_EQ(candidate(steps, 2).failure, "");
  EXPECT_NE(candidate(steps, 3).failure.find("text outside of the evolve blocks is not its parent's"),
            std::string::npos);
  EXPECT_FALSE(judgement(steps, 4).passed);
  EXPECT_NE(judgement(steps, 4).verdict.find("window_race"), std::string::npos);
  EXPECT_EQ(outcome_.best, 5);
  EXPECT_GT(*judgement(steps, 1).time_us / *judgement(steps, 5).time_us, 2);
  EXPECT_EQ(session->spent().calls, 4u);

  std::vector<store::Step> again = search_with(nullptr, log, "again.sqlite");
  ASSERT_EQ(again.size(), steps.size());
  for (store::Id id = 1; id <= 5; ++id) EXPECT_EQ(candidate(again, id).files, candidate(steps, id).files);
  for (size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(again[i].state, steps[i].state);
}

}  // namespace
}  // namespace cuco::evolve
