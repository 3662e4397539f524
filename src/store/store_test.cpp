#include "store/store.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/sha256.h"
#include "testing/scratch_folder.h"
#include "testing/store_steps.h"

namespace cuco::store {
namespace {

namespace fs = std::filesystem;
using cuco::testing::make_campaign;
using cuco::testing::make_step;

class StoreTest : public ::testing::Test {
 protected:
  Store make(const std::string& name = "campaign.sqlite") {
    return Store::create(folder_.path() / name, make_campaign()).value();
  }
  static void commit(Store& store, uint64_t first, uint64_t last) {
    for (uint64_t number = first; number <= last; ++number) {
      Status status = store.commit(make_step(number, 1));
      ASSERT_TRUE(status.ok()) << status.error().message;
    }
  }
  fs::path file() const { return folder_.path() / "campaign.sqlite"; }

  cuco::testing::ScratchFolder folder_;
};

std::vector<Step> expected_steps(uint64_t count) {
  std::vector<Step> steps;
  for (uint64_t number = 1; number <= count; ++number) steps.push_back(make_step(number, 1));
  return steps;
}

TEST_F(StoreTest, GivesBackTheCampaign) { EXPECT_EQ(make().campaign().value(), make_campaign()); }

TEST_F(StoreTest, GivesBackStepsAsTheyWereCommitted) {
  Store store = make();
  commit(store, 1, 20);
  EXPECT_EQ(store.steps().value(), expected_steps(20));
  EXPECT_EQ(store.last_step().value(), 20u);
  EXPECT_EQ(store.state().value(), make_step(20, 1).state);
}

TEST_F(StoreTest, IsEmptyBeforeTheFirstStep) {
  Store store = make();
  EXPECT_EQ(store.last_step().value(), 0u);
  EXPECT_EQ(store.state().value(), "");
  EXPECT_TRUE(store.steps()->empty());
  EXPECT_FALSE(store.overview()->best);
}

TEST_F(StoreTest, RemembersBeyondItsLife) {
  {
    Store store = make();
    commit(store, 1, 5);
  }
  EXPECT_EQ(Store::open(file())->steps().value(), expected_steps(5));
  EXPECT_EQ(Store::open_read_only(file())->steps().value(), expected_steps(5));
}

TEST_F(StoreTest, AtRestIsOneFile) {
  {
    Store store = make();
    commit(store, 1, 5);
  }
  auto files = std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  EXPECT_EQ(files, 1);
}

TEST_F(StoreTest, IsNotMadeTwice) {
  make();
  EXPECT_EQ(Store::create(file(), make_campaign()).error().message, concat(file().string(), ": is there already"));
}

TEST_F(StoreTest, GivesACandidateWithItsFilesAndJudgements) {
  Store store = make();
  commit(store, 1, 12);
  Step step = make_step(12, 1);
  EXPECT_EQ(store.candidate(23).value(), step.candidates[0]);
  std::vector<Judgement> expected = {step.judgements[0], step.judgements[2]};
  EXPECT_EQ(store.judgements(23).value(), expected);
}

TEST_F(StoreTest, SaysWhichCandidatesThereAre) {
  Store store = make();
  EXPECT_EQ(store.candidate(1).error().message, concat(file().string(), ": no candidate 1; it has none yet"));
  commit(store, 1, 2);
  EXPECT_EQ(store.candidate(9).error().message, concat(file().string(), ": no candidate 9; it has 1 to 4"));
  EXPECT_EQ(store.candidate(-1).error().message, concat(file().string(), ": no candidate -1; it has 1 to 4"));
}

TEST_F(StoreTest, KeepsBytesThatAreNotText) {
  Store store = make();
  Step step = make_step(1, 1);
  step.candidates[0].files[0].text = std::string("a\0b\xff\xfe", 5);
  ASSERT_TRUE(store.commit(step).ok());
  EXPECT_EQ(store.candidate(1)->files[0].text, step.candidates[0].files[0].text);
}

TEST_F(StoreTest, KeepsASharedTextOnce) {
  Store store = make();
  Step step = make_step(1, 1);
  std::string large(1u << 20, 'x');
  for (Candidate& candidate : step.candidates) candidate.files = {{"a.cu", large}, {"b.cu", large}};
  ASSERT_TRUE(store.commit(step).ok());
  fs::path copy = folder_.path() / "copy";
  ASSERT_TRUE(store.write_canonical(copy).ok());
  EXPECT_LT(fs::file_size(copy), large.size() * 3 / 2);
  EXPECT_EQ(store.candidate(2)->files[1].text, large);
}

TEST_F(StoreTest, RefusesStepsAndCandidatesOutOfOrderAndKeepsNothingOfThem) {
  Store store = make();
  commit(store, 1, 2);
  EXPECT_EQ(store.commit(make_step(4, 1)).error().message, concat(file().string(), ": step 4 does not follow 2"));
  Step gap = make_step(3, 1);
  gap.candidates[1].id = 7;
  EXPECT_EQ(store.commit(gap).error().message, concat(file().string(), ": candidate 7 does not follow 5"));
  Step orphan = make_step(3, 1);
  orphan.candidates[1].parent = 99;
  EXPECT_FALSE(store.commit(orphan).ok());
  EXPECT_EQ(store.steps().value(), expected_steps(2));
  commit(store, 3, 3);
  EXPECT_EQ(store.steps().value(), expected_steps(3));
}

TEST_F(StoreTest, ReadersSeeStepsWhileAnotherConnectionWrites) {
  Store writer = make();
  commit(writer, 1, 1);
  Store reader = Store::open_read_only(file()).value();
  EXPECT_EQ(reader.last_step().value(), 1u);
  commit(writer, 2, 3);
  EXPECT_EQ(reader.steps().value(), expected_steps(3));
}

TEST_F(StoreTest, SummaryHasTheClosestLook) {
  Store store = make();
  Step step = make_step(1, 1);
  Judgement full = step.judgements[1];
  full.depth = "full";
  full.passed = false;
  step.judgements.insert(step.judgements.begin(), full);
  ASSERT_TRUE(store.commit(step).ok());
  std::vector<CandidateSummary> summaries = store.summaries().value();
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_EQ(summaries[0].judgement->depth, "screen");
  EXPECT_EQ(summaries[1].judgement->depth, "full");
  EXPECT_FALSE(summaries[1].judgement->passed);
  EXPECT_EQ(summaries[1].judgement->verdict, "");
}

TEST_F(StoreTest, TheClosestLookIsTheLastUnlessThereIsAFullOne) {
  Store store = make();
  Step step = make_step(1, 1);
  Judgement look = step.judgements[0];
  auto closest_time = [&store] { return store.summaries().value()[0].judgement->time_us; };
  ASSERT_TRUE(store.commit(step).ok());
  double time_us = 500;
  for (const auto& [depth, expected] : {std::pair("screen", 501.), {"full", 502.}, {"screen", 502.}, {"full", 504.}}) {
    step = Step{};
    step.number = *store.last_step() + 1;
    look.depth = depth;
    look.time_us = ++time_us;
    step.judgements = {look};
    ASSERT_TRUE(store.commit(step).ok());
    EXPECT_EQ(closest_time(), expected);
  }
  EXPECT_EQ(store.overview()->evaluations, 2u);
  EXPECT_EQ(store.judgements(1)->size(), 5u);
}

TEST_F(StoreTest, BestOfARunningSearchIsTheHighestScore) {
  Store store = make();
  commit(store, 1, 6);
  Overview overview = store.overview().value();
  EXPECT_EQ(overview.best->id, 12);
  EXPECT_EQ(overview.baseline->id, 1);
  EXPECT_EQ(overview.candidates, 12);
  EXPECT_EQ(overview.evaluations, 11u);  // 7 is no program.
  EXPECT_EQ(overview.rejected, 2u);      // 5 and 10.
  EXPECT_DOUBLE_EQ(overview.cost_usd, 0.01);
  EXPECT_FALSE(overview.stop_reason);
}

TEST_F(StoreTest, WhatLessonsCostIsPartOfTheRunsCost) {
  Store store = make();
  Step step = make_step(1, 1);
  double before = 0;
  for (const Candidate& candidate : step.candidates) before += candidate.cost_usd;
  step.events.push_back({"lesson", "2 lessons drawn by a model.", 0.5});
  ASSERT_TRUE(store.commit(step).ok());
  EXPECT_DOUBLE_EQ(store.overview()->cost_usd, before + 0.5);
  EXPECT_EQ(store.events()->back().cost_usd, 0.5);
  EXPECT_EQ(store.steps()->back(), step);
}

TEST_F(StoreTest, BestOfAFinishedSearchPassedACloserLook) {
  Store store = make();
  commit(store, 1, 6);
  Step last;
  last.number = 7;
  last.events = {{"stop", "the budget is spent"}, {"end", "done"}};
  last.judgements = {cuco::testing::make_judgement(store.candidate(11).value(), "full")};
  ASSERT_TRUE(store.commit(last).ok());
  Overview overview = store.overview().value();
  EXPECT_EQ(overview.stop_reason, "the budget is spent");
  EXPECT_TRUE(overview.finished);
  EXPECT_EQ(overview.best->id, 11);
}

TEST_F(StoreTest, BestOfAFinishedSearchWithoutSuchIsTheBaseline) {
  Store store = make();
  commit(store, 1, 6);
  Step last;
  last.number = 7;
  last.events = {{"end", "nothing passed"}};
  last.judgements = {cuco::testing::make_judgement(store.candidate(12).value(), "full")};
  last.judgements[0].passed = false;
  ASSERT_TRUE(store.commit(last).ok());
  EXPECT_EQ(store.overview()->best->id, 1);
}

TEST_F(StoreTest, CanonicalFilesOfEqualContentAreEqualWhateverHappenedBefore) {
  Store straight = make("straight");
  commit(straight, 1, 30);
  {
    Store first_half = make("interrupted");
    commit(first_half, 1, 11);
    EXPECT_FALSE(first_half.commit(make_step(15, 1)).ok());
  }
  Store interrupted = Store::open(folder_.path() / "interrupted").value();
  Step broken = make_step(12, 1);
  broken.judgements[0].candidate = 4711;
  EXPECT_FALSE(interrupted.commit(broken).ok());
  commit(interrupted, 12, 30);
  ASSERT_TRUE(straight.write_canonical(folder_.path() / "a").ok());
  ASSERT_TRUE(interrupted.write_canonical(folder_.path() / "b").ok());
  EXPECT_EQ(sha256(*read_file(folder_.path() / "a")), sha256(*read_file(folder_.path() / "b")));
  EXPECT_EQ(Store::open_read_only(folder_.path() / "a")->steps().value(), expected_steps(30));
}

TEST_F(StoreTest, CanonicalFilesOfUnlikeContentDiffer) {
  Store one = make("one"), other = make("other");
  commit(one, 1, 3);
  commit(other, 1, 2);
  Step step = make_step(3, 1);
  step.judgements[0].score += 1e-9;
  ASSERT_TRUE(other.commit(step).ok());
  ASSERT_TRUE(one.write_canonical(folder_.path() / "a").ok());
  ASSERT_TRUE(other.write_canonical(folder_.path() / "b").ok());
  EXPECT_NE(*read_file(folder_.path() / "a"), *read_file(folder_.path() / "b"));
}

}  // namespace
}  // namespace cuco::store
