#include "evolve/course.h"

#include <gtest/gtest.h>

#include <set>

#include "evolve/fixtures.h"

namespace cuco::evolve {
namespace {

uint32_t screening_count(const std::vector<store::Step>& steps) {
  uint32_t count = 0;
  for (const store::Step& step : steps)
    for (const store::Judgement& judgement : step.judgements) count += judgement.depth == kScreen;
  return count;
}

std::string stop_reason(const std::vector<store::Step>& steps) {
  for (const store::Step& step : steps)
    for (const store::Event& event : step.events)
      if (event.kind == kStopEvent) return event.text;
  return {};
}

Outcome outcome_of(SearchInput& input, const std::vector<store::Step>& steps) {
  Course course(input);
  CUCO_ASSERT(course.restore(steps).ok());
  return course.outcome();
}

TEST(Course, SameSeedGivesSameSteps) {
  NumberSearch first, second, third;
  third.input.options.seed = 6;
  std::vector<std::string> steps = to_texts(run_to_end(first.input));
  EXPECT_EQ(steps, to_texts(run_to_end(second.input)));
  EXPECT_NE(steps, to_texts(run_to_end(third.input)));
}

TEST(Course, ResumedBehindAnyStepGivesTheSameSteps) {
  NumberSearch search;
  search.add_proposer(std::make_unique<NumberProposer>("others"));
  search.input.options.migration_interval = 2;
  std::vector<store::Step> whole = run_to_end(search.input);
  ASSERT_GT(whole.size(), 10u);
  for (size_t done = 0; done <= whole.size(); ++done) {
    NumberSearch resumed;
    resumed.add_proposer(std::make_unique<NumberProposer>("others"));
    resumed.input.options.migration_interval = 2;
    std::vector<store::Step> begin(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(done));
    ASSERT_EQ(to_texts(run_to_end(resumed.input, begin)), to_texts(whole)) << "after step " << done;
  }
}

TEST(Course, SpendsTheBudgetAndNoMore) {
  NumberSearch search;
  search.input.options.budget_evaluations = 17;
  std::vector<store::Step> steps = run_to_end(search.input);
  EXPECT_EQ(screening_count(steps), 17u);
  EXPECT_EQ(stop_reason(steps), "The budget of 17 evaluations is spent.");
}

TEST(Course, FindsSomethingFasterThanTheBaseline) {
  NumberSearch search;
  std::vector<store::Step> steps = run_to_end(search.input);
  Outcome outcome = outcome_of(search.input, steps);
  EXPECT_TRUE(outcome.finished);
  ASSERT_GT(outcome.best, 1);
  EXPECT_EQ(outcome.evaluations, 30u);
}

TEST(Course, NothingIsEvaluatedTwice) {
  NumberSearch search;
  search.input.options.budget_evaluations = 200;
  run_to_end(search.input);
  std::multiset<int> screened;
  for (const store::Candidate& candidate : search.evaluator.seen) screened.insert(number_of(candidate));
  // One of them had its closer look besides.
  EXPECT_LE(screened.size(), std::set<int>(screened.begin(), screened.end()).size() + 1);
}

TEST(Course, FastestOfTheFirstProgramsIsTheFastPathAndTwinsOfItAreNotEvaluated) {
  NumberSearch search;
  search.input.first = {number_candidate(900), number_candidate(901), number_candidate(900), number_candidate(800)};
  std::vector<store::Step> steps = run_to_end(search.input);
  EXPECT_EQ(steps.front().candidates.size(), 4u);
  EXPECT_EQ(outcome_of(search.input, steps).fast_path, 4);
}

TEST(Course, PlateauEndsIt) {
  NumberSearch search;
  search.evaluator = FakeEvaluator([](const Task&) { return timed(1000); });
  search.input.options.plateau = 9;
  std::vector<store::Step> steps = run_to_end(search.input);
  EXPECT_EQ(stop_reason(steps), "The last 10 evaluations found nothing faster.");
  EXPECT_EQ(outcome_of(search.input, steps).best, 1);
}

TEST(Course, SpeedOfLightEndsIt) {
  NumberSearch search;
  search.evaluator = FakeEvaluator([](const Task& task) { return timed(task.candidate->id == 4 ? 500 : 1000, 495); });
  std::vector<store::Step> steps = run_to_end(search.input);
  EXPECT_EQ(stop_reason(steps), "#4 reaches 99 % of the speed of light.");
  EXPECT_EQ(outcome_of(search.input, steps).best, 4);
}

TEST(Course, FinalistThatFailsTheCloserLookGivesWayToTheNext) {
  NumberSearch search;
  store::Id fastest = store::kNoId;
  search.evaluator = FakeEvaluator([&](const Task& task) {
    if (task.depth == Depth::Full && fastest == store::kNoId) fastest = task.candidate->id;
    return task.depth == Depth::Full && task.candidate->id == fastest ? rejected() : judge_number(task);
  });
  std::vector<store::Step> steps = run_to_end(search.input);
  Outcome outcome = outcome_of(search.input, steps);
  ASSERT_NE(fastest, store::kNoId);
  EXPECT_NE(outcome.best, fastest);
  EXPECT_GT(outcome.best, 1);
}

TEST(Course, BaselineIsTheBestWhenNoFinalistPasses) {
  NumberSearch search;
  search.evaluator = FakeEvaluator(
      [&](const Task& task) { return task.depth == Depth::Full ? rejected("race") : judge_number(task); });
  std::vector<store::Step> steps = run_to_end(search.input);
  Outcome outcome = outcome_of(search.input, steps);
  EXPECT_EQ(outcome.best, 1);
  EXPECT_EQ(steps.back().events.back().kind, kEndEvent);
}

TEST(Course, SlowerInTheCloserLookIsNotTheBest) {
  NumberSearch search;
  search.evaluator =
      FakeEvaluator([&](const Task& task) { return task.depth == Depth::Full ? timed(5000) : judge_number(task); });
  EXPECT_EQ(outcome_of(search.input, run_to_end(search.input)).best, 1);
}

TEST(Course, BaselineThatFailsIsAnError) {
  NumberSearch search;
  search.evaluator = FakeEvaluator([](const Task&) { return rejected(); });
  Course course(search.input);
  Result<std::optional<store::Step>> step = course.next();
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().message, "the baseline does not pass, so there is nothing to improve: rank 1 waits for ever");
}

class SilentProposer : public NumberProposer {
 public:
  explicit SilentProposer(std::string problem = {}) : NumberProposer("silent"), problem_(std::move(problem)) {}
  Result<std::optional<Proposal>> propose(const Assignment&, Random&) override {
    ++asked;
    if (!problem_.empty()) return Error{problem_};
    return std::optional<Proposal>();
  }
  int asked = 0;

 private:
  std::string problem_;
};

TEST(Course, NoIdeasEndIt) {
  NumberSearch search;
  search.input.proposers.clear();
  search.add_proposer(std::make_unique<SilentProposer>());
  EXPECT_EQ(stop_reason(run_to_end(search.input)), "No proposer has another idea.");
}

TEST(Course, ProposerThatCannotGoOnIsNotAskedAgain) {
  NumberSearch search;
  auto silent = std::make_unique<SilentProposer>("the budget of 1 USD is spent");
  SilentProposer& watched = *silent;
  search.add_proposer(std::move(silent));
  std::vector<store::Step> steps = run_to_end(search.input);
  EXPECT_EQ(watched.asked, 1);
  EXPECT_EQ(screening_count(steps), 30u);
}

TEST(Course, ProposerThatOnlyRepeatsItselfEndsTheRun) {
  class Parrot : public NumberProposer {
    Result<std::optional<Proposal>> propose(const Assignment&, Random&) override {
      Proposal proposal;
      proposal.files = number_program(900);
      return std::optional(proposal);
    }
  };
  NumberSearch search;
  search.input.proposers.clear();
  search.add_proposer(std::make_unique<Parrot>());
  std::vector<store::Step> steps = run_to_end(search.input);
  EXPECT_EQ(screening_count(steps), 2u);
  EXPECT_EQ(stop_reason(steps), "The last 8 turns gave nothing that was worth an evaluation.");
  EXPECT_EQ(steps[2].candidates.front().failure, "the same program as #2");
}

TEST(Course, TextOfAProposerIsBoundByItsParentUnlessTheRewriterWroteIt) {
  class Rewriting : public NumberProposer {
   public:
    Rewriting() : NumberProposer("rules") {}
    bool uses_rewriter() const override { return true; }
  };
  NumberSearch search;
  search.add_proposer(std::make_unique<Rewriting>());
  search.evaluator = FakeEvaluator([](const Task& task) {
    EXPECT_EQ(task.parent != nullptr, task.candidate->proposer == "numbers") << task.candidate->proposer;
    return judge_number(task);
  });
  run_to_end(search.input);
}

TEST(Course, LessonsReachTheProposers) {
  class Listener : public NumberProposer {
   public:
    Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) override {
      heard = std::max(heard, assignment.lessons.size());
      return NumberProposer::propose(assignment, random);
    }
    size_t heard = 0;
  };
  class Teacher : public LessonWriter {
    Result<std::vector<store::Lesson>> write(const std::vector<Member>&, const std::vector<store::Lesson>&) override {
      return std::vector<store::Lesson>{{"model", "Odd numbers pay."}};
    }
  };
  NumberSearch search;
  Teacher teacher;
  search.input.proposers.clear();
  auto listener = std::make_unique<Listener>();
  Listener& watched = *listener;
  search.add_proposer(std::move(listener));
  search.input.lesson_writer = &teacher;
  run_to_end(search.input);
  EXPECT_EQ(watched.heard, 1u);
}

TEST(Course, PhasesFollowTheBudget) {
  class Watcher : public NumberProposer {
   public:
    Result<std::optional<Proposal>> propose(const Assignment& assignment, Random& random) override {
      explored += assignment.phase == Phase::Explore;
      return NumberProposer::propose(assignment, random);
    }
    int explored = 0;
  };
  for (bool two_phase : {true, false}) {
    NumberSearch search;
    search.input.proposers.clear();
    auto watcher = std::make_unique<Watcher>();
    Watcher& watched = *watcher;
    search.add_proposer(std::move(watcher));
    search.input.options.two_phase = two_phase;
    run_to_end(search.input);
    // Of 30 evaluations 12 belong to exploring, the baseline among them; turns of two may meet a duplicate.
    EXPECT_GE(watched.explored, two_phase ? 11 : 0);
    EXPECT_LE(watched.explored, two_phase ? 14 : 0);
  }
}

}  // namespace
}  // namespace cuco::evolve
