#include "evolve/fidelity.h"

#include <gtest/gtest.h>

namespace cuco::evolve {
namespace {

TEST(Fidelity, ErrorIsRelativeToTheMeasuredTime) {
  EXPECT_DOUBLE_EQ((TimePair{110, 100}).error_percent(), 10);
  EXPECT_DOUBLE_EQ((TimePair{50, 100}).error_percent(), -50);
}

TEST(Fidelity, MedianIsOfAbsoluteErrors) {
  EXPECT_DOUBLE_EQ(*median_error_percent({{110, 100}, {70, 100}, {100, 100}}), 10);
  EXPECT_DOUBLE_EQ(*median_error_percent({{110, 100}, {70, 100}}), 20);
  EXPECT_FALSE(median_error_percent({}).has_value());
}

TEST(Fidelity, SameOrderCorrelatesFullyWhateverTheTimes) {
  EXPECT_DOUBLE_EQ(*rank_correlation({{1, 10}, {2, 400}, {3, 401}}), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation({{1, 9}, {2, 8}, {3, 2}}), -1);
}

// The textbook's ten pairs of IQ and hours of television: 1 - 6 * 194 / (10 * 99).
TEST(Fidelity, CorrelationOfKnownRanks) {
  std::vector<TimePair> pairs = {{106, 7},  {100, 27}, {86, 2},   {101, 50}, {99, 28},
                                 {103, 29}, {97, 20},  {113, 12}, {112, 6},  {110, 17}};
  EXPECT_NEAR(*rank_correlation(pairs), -29.0 / 165, 1e-12);
}

// Ranks 1, 2.5, 2.5, 4 and 1.5, 1.5, 3, 4: covariance 3.5 + 0.25, variances 4.5 each.
TEST(Fidelity, EqualTimesShareTheirRanks) {
  EXPECT_NEAR(*rank_correlation({{1, 5}, {2, 5}, {2, 6}, {9, 7}}), 3.75 / 4.5, 1e-12);
}

TEST(Fidelity, ThereIsNoOrderAmongEqualTimes) {
  EXPECT_FALSE(rank_correlation({{1, 1}, {1, 2}}).has_value());
  EXPECT_FALSE(rank_correlation({}).has_value());
}

}  // namespace
}  // namespace cuco::evolve
