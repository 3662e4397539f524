// Whole searches whose times come from a GPU that is a fake: stopped, resumed, done again from the log.
#include <gtest/gtest.h>

#include "base/files.h"
#include "evolve/gpu_fixtures.h"
#include "store/store.h"
#include "testing/scratch_folder.h"

namespace cuco::evolve {
namespace {

int number_of_job(const gpu::Job& job) {
  const std::string& text = job.files.front().text;
  return std::atoi(text.c_str() + text.find("return ") + 7);
}

// Another time whenever it is asked, as on a real GPU.
FakeJobExecutor::Time noisy(Random& noise) {
  return [&noise](const gpu::Job& job) -> Result<evaluate::Verdict> {
    return measured(300 + std::abs(number_of_job(job) - 512) + noise.unit(), 2);
  };
}

class GpuSearchTest : public ::testing::Test {
 protected:
  GpuSearchTest() : log(*store::Log::open(folder.path() / "log.jsonl")), setting(gpu_setting(history, noisy(noise))) {}

  store::Candidate baseline(uint32_t limit) const {
    store::Candidate candidate = number_candidate(1000);
    candidate.proposer = kBaseline;
    candidate.plan = concat("s1 host/deferred/stream-event/cta/whole\n");
    if (limit > 0) candidate.plan += concat("schedule ctas=", limit, "\n");
    return candidate;
  }

  // As many steps as `stop_after`, from what the store has on.
  Outcome run(store::Store& store, uint64_t stop_after = UINT64_MAX) {
    NumberSearch search;
    FakeEvaluator check{judge_number};
    search.input.options.batch = 4;
    search.input.baseline = baseline(0);
    search.input.next_baselines = [this](const std::vector<std::optional<double>>& us) {
      return us.size() > 1 ? std::vector<FurtherBaseline>()
                           : std::vector<FurtherBaseline>{{baseline(4)}, {baseline(8)}};
    };
    GpuEvaluator evaluator(setting, check, log);
    search.input.evaluator = &evaluator;
    search.input.store = &store;
    search.input.interrupted = [&] { return *store.last_step() >= stop_after; };
    Result<Outcome> outcome = evolve::search(search.input);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return *outcome;
  }

  store::Store make_store(const std::string& name) {
    return *store::Store::create(folder.path() / name, {"numbers", "", "", "{}"});
  }
  std::string bytes_of(const store::Store& store) {
    EXPECT_TRUE(store.write_canonical(folder.path() / "canonical").ok());
    return *read_file(folder.path() / "canonical", UINTMAX_MAX);
  }

  testing::ScratchFolder folder;
  store::Log log;
  Random noise{11};
  GpuHistory history;
  GpuEvaluatorSetting setting;
};

TEST_F(GpuSearchTest, ReplayedFromTheLogGivesTheSameBytes) {
  store::Store first = make_store("first.sqlite"), again = make_store("again.sqlite");
  Outcome outcome = run(first);
  EXPECT_TRUE(outcome.finished);
  size_t runs = history.runs.size();
  setting.from_log_alone = true;
  setting.open = [] { return Result<std::unique_ptr<gpu::JobExecutor>>(Error{"there is no GPU"}); };
  run(again);
  EXPECT_EQ(bytes_of(first), bytes_of(again));
  EXPECT_EQ(history.runs.size(), runs);
}

TEST_F(GpuSearchTest, StoppedBehindAnyStepAndResumedMeasuresNothingTwice) {
  store::Store whole = make_store("whole.sqlite");
  run(whole);
  size_t runs = history.runs.size();
  for (uint64_t stop = 1; stop < *whole.last_step(); stop++) {
    store::Store stopped = make_store(concat("stopped", stop, ".sqlite"));
    run(stopped, stop);
    EXPECT_EQ(*stopped.last_step(), stop);
    run(stopped);
    EXPECT_EQ(bytes_of(stopped), bytes_of(whole)) << "after step " << stop;
  }
  EXPECT_EQ(history.runs.size(), runs);
}

TEST_F(GpuSearchTest, SlowerHalfOfEachTurnIsCountedApart) {
  store::Store store = make_store("store.sqlite");
  Outcome outcome = run(store);
  EXPECT_EQ(outcome.evaluations, 30u);
  EXPECT_GT(outcome.untimed, 5u);
  EXPECT_LT(outcome.untimed + outcome.rejected, 20u);
}

TEST_F(GpuSearchTest, TheFastestBaselineIsWhatGainsAreAgainst) {
  setting.open = gpu_setting(history, [](const gpu::Job& job) -> Result<evaluate::Verdict> {
                   return measured(job.variables == gpu::Variables{{"NCCL_MAX_CTAS", "8"}} ? 200 : 400, 1);
                 }).open;
  store::Store store = make_store("store.sqlite");
  Outcome outcome = run(store);
  EXPECT_EQ(outcome.baseline, 3);
  EXPECT_EQ(outcome.best, 3);
  EXPECT_EQ(store.overview()->baseline->id, 3);
}

TEST_F(GpuSearchTest, FasterByLessThanTheSpreadIsNotTheBest) {
  double gain = 5;
  setting.open = gpu_setting(history, [&](const gpu::Job& job) -> Result<evaluate::Verdict> {
                   return measured(number_of_job(job) == 1000 ? 400 : 400 - gain, 40);
                 }).open;
  store::Store within = make_store("within.sqlite");
  Outcome outcome = run(within);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.best, outcome.baseline);
  gain = 100;
  log = *store::Log::open(folder.path() / "other.jsonl");
  store::Store beyond = make_store("beyond.sqlite");
  EXPECT_GT(run(beyond).best, 3);
}

}  // namespace
}  // namespace cuco::evolve
