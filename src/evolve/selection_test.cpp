#include "evolve/selection.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cuco::evolve {
namespace {

constexpr int kDraws = 20000;

std::vector<double> shares(const std::vector<double>& weights) {
  Random random(11);
  std::vector<double> counts(weights.size(), 0);
  for (int i = 0; i < kDraws; ++i) counts[draw_by_weight(weights, random)] += 1.0 / kDraws;
  return counts;
}

const std::vector<Contender> kFive = {{50, 0}, {40, 0}, {30, 0}, {20, 0}, {10, 0}};

TEST(Selection, DrawsFollowTheWeights) {
  std::vector<double> drawn = shares({1, 0, 3});
  EXPECT_NEAR(drawn[0], 0.25, 0.02);
  EXPECT_EQ(drawn[1], 0);
  EXPECT_NEAR(drawn[2], 0.75, 0.02);
}

// Median 30, median deviation 10: the scores stand at +2, +1, 0, -1, -2.
TEST(Selection, WeightedIsASigmoidOfTheNormalisedScore) {
  std::vector<double> weights = selection_weights(Selection::Weighted, kFive, 1);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(weights[i], 1 / (1 + std::exp(i - 2.0)), 1e-12);
  std::vector<double> drawn = shares(weights);
  EXPECT_NEAR(drawn[0], weights[0] / 2.5, 0.02);
  EXPECT_NEAR(drawn[4], weights[4] / 2.5, 0.02);
}

TEST(Selection, WeightedTurnsAwayFromParentsOfMany) {
  std::vector<Contender> ranked = {{50, 3}, {50, 0}};
  std::vector<double> weights = selection_weights(Selection::Weighted, ranked, 1);
  EXPECT_DOUBLE_EQ(weights[1], 4 * weights[0]);
}

TEST(Selection, WeightedBearsEqualScores) {
  std::vector<double> weights = selection_weights(Selection::Weighted, {{60, 0}, {50, 0}, {50, 0}, {50, 0}}, 3);
  EXPECT_GT(weights[0], 0.9);
  EXPECT_DOUBLE_EQ(weights[1], 0.5);
}

TEST(Selection, PowerLawFallsWithTheRank) {
  std::vector<double> drawn = shares(selection_weights(Selection::PowerLaw, kFive, 1));
  double sum = 1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0 + 1 / 5.0;
  for (int rank = 1; rank <= 5; ++rank) EXPECT_NEAR(drawn[rank - 1], 1 / (rank * sum), 0.02);
}

TEST(Selection, BeamTakesTheLeastUsedOfTheBest) {
  std::vector<Contender> ranked = {{50, 2}, {40, 1}, {30, 1}, {20, 3}, {10, 0}};
  EXPECT_EQ(selection_weights(Selection::Beam, ranked, 1), (std::vector<double>{0, 1, 0, 0, 0}));
}

TEST(Selection, UniformGivesEveryoneTheSameChance) {
  for (double share : shares(selection_weights(Selection::Uniform, kFive, 1))) EXPECT_NEAR(share, 0.2, 0.02);
}

}  // namespace
}  // namespace cuco::evolve
