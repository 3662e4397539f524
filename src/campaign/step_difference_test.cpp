#include "campaign/step_difference.h"

#include <gtest/gtest.h>

namespace cuco::campaign {
namespace {

std::vector<store::Step> steps() {
  store::Step step;
  step.number = 1;
  step.candidates.resize(1);
  step.candidates[0].id = 1;
  step.judgements.resize(1);
  step.judgements[0].candidate = 1;
  step.judgements[0].depth = "screen";
  step.events = {{"best", "first"}};
  return {step};
}

TEST(FirstDifference, NamesStepAndCandidate) {
  std::vector<store::Step> other = steps();
  other[0].candidates[0].plan = "s1 host";
  EXPECT_EQ(first_difference(steps(), other), "step 1: candidate 1 has another plan");
  other = steps();
  other[0].judgements[0].verdict = "{}";
  EXPECT_EQ(first_difference(steps(), other), "step 1: the screen of candidate 1 found something else");
  other = steps();
  other[0].events[0].text = "second";
  EXPECT_EQ(first_difference(steps(), other), "step 1: the event 'first' is 'second'");
  other = steps();
  other[0].state = "x";
  EXPECT_EQ(first_difference(steps(), other), "step 1: the search is in another state after it");
}

TEST(FirstDifference, CountsStepsAndCandidates) {
  std::vector<store::Step> other = steps();
  other[0].candidates.push_back(other[0].candidates[0]);
  EXPECT_EQ(first_difference(steps(), other), "step 1: it has 1 candidate and 2 when it is done again");
  EXPECT_EQ(first_difference(steps(), {}), "it has 1 step and 0 when it is done again");
}

}  // namespace
}  // namespace cuco::campaign
