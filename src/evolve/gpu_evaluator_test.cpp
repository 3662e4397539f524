#include "evolve/gpu_evaluator.h"

#include <gtest/gtest.h>

#include "evolve/gpu_fixtures.h"
#include "store/store.h"
#include "testing/scratch_folder.h"

namespace cuco::evolve {
namespace {

int number_of(const gpu::Job& job) {
  const std::string& text = job.files.front().text;
  return std::atoi(text.c_str() + text.find("return ") + 7);
}

// As the virtual clock has it, with a spread that decides nothing.
Result<evaluate::Verdict> time_number(const gpu::Job& job) { return measured(300 + std::abs(number_of(job) - 512), 1); }

class GpuEvaluatorTest : public ::testing::Test {
 protected:
  GpuEvaluatorTest() : log(*store::Log::open(folder.path() / "log.jsonl")), setting(gpu_setting(history, time_number)) {
    for (int i = 0; i < 8; i++) candidates.push_back(number_candidate(600 + 10 * i, i + 1));
    for (size_t i = 1; i < candidates.size(); i++) candidates[i].generation = 1;
  }

  Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) {
    return GpuEvaluator(setting, check, log).evaluate(tasks);
  }
  Task task(size_t i, Depth depth = Depth::Screen) const { return {&candidates[i], nullptr, depth}; }

  testing::ScratchFolder folder;
  store::Log log;
  GpuHistory history;
  GpuEvaluatorSetting setting;
  FakeEvaluator check{judge_number};
  std::vector<store::Candidate> candidates;
};

TEST_F(GpuEvaluatorTest, TimesComeFromTheGpuAndPredictionsFromTheVirtualClock) {
  setting.open = gpu_setting(history, [](const gpu::Job&) { return measured(77, 2); }).open;
  FakeEvaluator with_path([](const Task& task) {
    evaluate::Verdict verdict = judge_number(task);
    verdict.timing->path.compute_us = 97;
    return verdict;
  });
  Result<std::vector<evaluate::Verdict>> verdicts = GpuEvaluator(setting, with_path, log).evaluate({task(0)});
  ASSERT_TRUE(verdicts.ok()) << verdicts.error().message;
  EXPECT_EQ(verdicts->front().timing->median_us, 77);
  EXPECT_DOUBLE_EQ(verdicts->front().timing->path.compute_us, 77 * 97.0 / 388);
  EXPECT_EQ(verdicts->front().predicted_us, 388);
  EXPECT_EQ(verdicts->front().executor, "one-gpu");
  EXPECT_FALSE(verdicts->front().baseline_us.has_value());
}

TEST_F(GpuEvaluatorTest, WhatTheVirtualClusterRejectsIsNotRun) {
  candidates[1].files = number_program(70);
  Result<std::vector<evaluate::Verdict>> verdicts = evaluate({task(1)});
  ASSERT_TRUE(verdicts.ok());
  EXPECT_FALSE(verdicts->front().passed());
  EXPECT_EQ(history.opened, 0u);
}

TEST_F(GpuEvaluatorTest, TheBetterHalfOfATurnIsRun) {
  Result<std::vector<evaluate::Verdict>> verdicts = evaluate({task(4), task(1), task(2)});
  ASSERT_TRUE(verdicts.ok());
  ASSERT_EQ(history.runs.size(), 2u);
  EXPECT_EQ(number_of(history.runs[0]), 610);
  EXPECT_EQ(number_of(history.runs[1]), 620);
  EXPECT_TRUE(verdicts->front().passed());
  EXPECT_FALSE(verdicts->front().timing.has_value());
  EXPECT_EQ(verdicts->front().notes.back(),
            "not run on a GPU: the virtual clock puts it in the slower half of its turn");
  EXPECT_EQ(score_of(verdicts->front()), 0);
}

TEST_F(GpuEvaluatorTest, GainAndBoundAreThoseOfTheTask) {
  Task compared = task(1), bounded = task(2);
  compared.against = {690, 80};
  bounded.against = {690, 0};
  Result<std::vector<evaluate::Verdict>> verdicts = evaluate({task(0), compared, bounded});
  ASSERT_TRUE(verdicts.ok());
  EXPECT_FALSE((*verdicts)[0].baseline_us.has_value());
  EXPECT_EQ((*verdicts)[1].baseline_us, 690);
  EXPECT_EQ((*verdicts)[1].timing->bound_compute_us, 80);
  verdicts = evaluate({bounded});
  EXPECT_EQ((*verdicts)[0].timing->bound_compute_us, 100) << "as the executor measured it";
}

TEST_F(GpuEvaluatorTest, BoundIsTakenOnlyWhenAskedFor) {
  Task sliced = task(0);
  sliced.takes_bound = true;
  ASSERT_TRUE(evaluate({task(0)}).ok());
  ASSERT_TRUE(evaluate({sliced}).ok());
  ASSERT_EQ(history.runs.size(), 2u);
  EXPECT_FALSE(history.runs[0].takes_bound);
  EXPECT_TRUE(history.runs[1].takes_bound);
}

TEST_F(GpuEvaluatorTest, NothingIsMeasuredTwiceAndTheLogAloneIsEnough) {
  Result<std::vector<evaluate::Verdict>> first = evaluate({task(0), task(1)});
  ASSERT_TRUE(first.ok());
  setting.from_log_alone = true;
  setting.open = [] { return Result<std::unique_ptr<gpu::JobExecutor>>(Error{"there is no GPU"}); };
  Result<std::vector<evaluate::Verdict>> again = evaluate({task(0), task(1)});
  ASSERT_TRUE(again.ok()) << again.error().message;
  for (size_t i = 0; i < 2; i++) EXPECT_EQ(evaluate::to_json((*first)[i]), evaluate::to_json((*again)[i]));
  EXPECT_EQ(history.runs.size(), 2u);
  EXPECT_EQ(evaluate({task(2)}).error().message,
            "the log has no times of a GPU for candidate 3: it is not whole, or this version of cuco proposes other "
            "programs");
}

TEST_F(GpuEvaluatorTest, WhatWasMeasuredBeforeAFailureIsKept) {
  setting.open = gpu_setting(history, [](const gpu::Job& job) -> Result<evaluate::Verdict> {
                   if (number_of(job) == 610) return Error{"the GPU is lost"};
                   return measured(500, 1);
                 }).open;
  EXPECT_EQ(evaluate({task(0), task(1)}).error().message, "the GPU is lost");
  setting.open = gpu_setting(history, time_number).open;
  ASSERT_TRUE(evaluate({task(0), task(1)}).ok());
  EXPECT_EQ(history.runs.size(), 2u);
}

TEST_F(GpuEvaluatorTest, OneTextUnderTwoLimitsIsBuiltOnce) {
  for (size_t i : {0u, 1u}) {
    candidates[i].files = number_program(600);
    candidates[i].generation = 0;
    candidates[i].plan = concat("s1 host/deferred/stream-event/cta/whole\nschedule ctas=", 2 + 2 * i, "\n");
  }
  ASSERT_TRUE(evaluate({task(0), task(1)}).ok());
  EXPECT_EQ(history.builds.size(), 1u);
  EXPECT_EQ(check.seen.size(), 1u);
  ASSERT_EQ(history.runs.size(), 2u);
  EXPECT_EQ(history.runs[1].variables, (gpu::Variables{{"NCCL_MAX_CTAS", "4"}}));
}

TEST_F(GpuEvaluatorTest, ACloserLookTakesMoreIterations) {
  ASSERT_TRUE(evaluate({task(1, Depth::Full)}).ok());
  EXPECT_EQ(history.runs.front().iterations, setting.full_iterations);
}

}  // namespace
}  // namespace cuco::evolve
