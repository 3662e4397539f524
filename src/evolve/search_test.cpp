#include "evolve/search.h"

#include <gtest/gtest.h>

#include "evolve/fixtures.h"
#include "testing/scratch_folder.h"

namespace cuco::evolve {
namespace {

store::Campaign campaign() { return {"numbers", "", "cuco optimize numbers", "{}"}; }

TEST(Search, RunsToItsEndInAStore) {
  testing::ScratchFolder folder;
  store::Store store = store::Store::create(folder.path() / "campaign.sqlite", campaign()).value();
  NumberSearch numbers;
  numbers.input.store = &store;
  Result<Outcome> outcome = search(numbers.input);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_TRUE(outcome->finished);
  EXPECT_GT(outcome->best, 1);
  NumberSearch in_memory;
  EXPECT_EQ(to_texts(store.steps().value()), to_texts(run_to_end(in_memory.input)));
}

TEST(Search, InterruptedAndResumedGivesTheSameStore) {
  testing::ScratchFolder folder;
  store::Store whole = store::Store::create(folder.path() / "whole.sqlite", campaign()).value();
  store::Store pieces = store::Store::create(folder.path() / "pieces.sqlite", campaign()).value();
  NumberSearch numbers;
  numbers.input.store = &whole;
  Outcome expected = search(numbers.input).value();
  Outcome outcome;
  for (int piece = 0; piece < 100 && !outcome.finished; ++piece) {
    NumberSearch part;
    int asked = 0;
    part.input.store = &pieces;
    part.input.interrupted = [&] { return ++asked > 3; };
    outcome = search(part.input).value();
    if (!outcome.finished) {
      EXPECT_EQ(outcome.stop_reason, "It was interrupted.");
    }
  }
  EXPECT_EQ(outcome.best, expected.best);
  EXPECT_EQ(outcome.stop_reason, expected.stop_reason);
  EXPECT_EQ(to_texts(pieces.steps().value()), to_texts(whole.steps().value()));
}

TEST(Search, StepMadeWhileItIsInterruptedIsMadeAgain) {
  testing::ScratchFolder folder;
  store::Store store = store::Store::create(folder.path() / "campaign.sqlite", campaign()).value();
  bool ended = false;
  NumberSearch numbers;
  FakeEvaluator ending([&](const Task& task) {
    ended = ended || store.last_step().value() == 3;
    return judge_number(task);
  });
  numbers.input.store = &store;
  numbers.input.evaluator = &ending;
  numbers.input.interrupted = [&] { return ended; };
  Outcome outcome = search(numbers.input).value();
  EXPECT_FALSE(outcome.finished);
  EXPECT_EQ(store.last_step().value(), 3u);
  NumberSearch resumed, whole;
  resumed.input.store = &store;
  EXPECT_TRUE(search(resumed.input).value().finished);
  EXPECT_EQ(to_texts(store.steps().value()), to_texts(run_to_end(whole.input)));
}

TEST(Search, FinishedRunIsNotContinued) {
  testing::ScratchFolder folder;
  store::Store store = store::Store::create(folder.path() / "campaign.sqlite", campaign()).value();
  NumberSearch first, again;
  first.input.store = again.input.store = &store;
  Outcome outcome = search(first.input).value();
  EXPECT_EQ(search(again.input).value().best, outcome.best);
  EXPECT_TRUE(again.evaluator.seen.empty());
}

TEST(Search, ErrorOfTheEvaluatorKeepsWhatWasCommitted) {
  class Broken : public FakeEvaluator {
   public:
    Broken() : FakeEvaluator(judge_number) {}
    Result<std::vector<evaluate::Verdict>> evaluate(const std::vector<Task>& tasks) override {
      if (seen.size() > 5) return Error{"no sandbox"};
      return FakeEvaluator::evaluate(tasks);
    }
  };
  testing::ScratchFolder folder;
  store::Store store = store::Store::create(folder.path() / "campaign.sqlite", campaign()).value();
  NumberSearch numbers;
  Broken broken;
  numbers.input.store = &store;
  numbers.input.evaluator = &broken;
  Result<Outcome> outcome = search(numbers.input);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "no sandbox");
  EXPECT_EQ(store.summaries().value().size(), broken.seen.size());
}

TEST(Search, TasksSayWhatTheBestTakesAtTheBeginningOfTheirTurn) {
  NumberSearch numbers;
  std::vector<std::optional<double>> said;
  FakeEvaluator evaluator([&](const Task& task) {
    said.push_back(task.best_us);
    return timed(said.size() == 1 ? 900 : 800);
  });
  numbers.input.evaluator = &evaluator;
  numbers.input.options.budget_evaluations = 5;
  numbers.input.options.batch = 2;
  run_to_end(numbers.input);
  ASSERT_GE(said.size(), 5u);
  EXPECT_EQ(said[0], std::nullopt);
  EXPECT_EQ(said[1], 900);
  EXPECT_EQ(said[2], 900);
  EXPECT_EQ(said[3], 800);
}

TEST(Search, BudgetOfZeroIsAnError) {
  NumberSearch numbers;
  numbers.input.options.budget_evaluations = 0;
  Result<Outcome> outcome = search(numbers.input);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "budget_evaluations is 0; a search needs at least one evaluation");
}

TEST(SearchOptions, SurviveTheirTextForm) {
  SearchOptions options;
  options.seed = ~uint64_t{0};
  options.selection = Selection::Beam;
  options.islands = 3;
  options.migration_graph = {{1, 2}, {}, {0}};
  options.archive = false;
  options.novelty_max = 0.9;
  EXPECT_EQ(search_options_from_json(to_json(options)).value(), options);
  EXPECT_EQ(search_options_from_json("{}").value(), SearchOptions());
}

TEST(SearchOptions, WrongOnesAreNamed) {
  EXPECT_EQ(search_options_from_json(R"({"islands": 0})").error().message,
            "islands is 0; a population lives on at least one");
  EXPECT_EQ(search_options_from_json(R"({"migration_graph": [[7]]})").error().message,
            "migration_graph names island 7 of 2");
  EXPECT_FALSE(search_options_from_json(R"({"batch": -2})").ok());
  EXPECT_FALSE(search_options_from_json(R"({"selection": "best"})").ok());
  EXPECT_FALSE(search_options_from_json("[").ok());
}

}  // namespace
}  // namespace cuco::evolve
