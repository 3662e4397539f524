#include "evolve/bandit.h"

#include <gtest/gtest.h>

namespace cuco::evolve {
namespace {

using Names = std::vector<std::string>;

TEST(Bandit, AsksEveryoneOnceInTheGivenOrder) {
  Bandit bandit;
  EXPECT_EQ(bandit.order({"a", "b"}), (Names{"a", "b"}));
  bandit.record("a", 1, 0);
  EXPECT_EQ(bandit.order({"a", "b"}), (Names{"b", "a"}));
}

TEST(Bandit, PrefersThePayer) {
  Bandit bandit;
  int asked_payer = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::string arm = bandit.order({"dud", "payer"}).front();
    asked_payer += arm == "payer";
    bandit.record(arm, arm == "payer" && turn % 3 == 0 ? 0.05 : 0, 0);
  }
  EXPECT_GT(asked_payer, 140);
  EXPECT_LT(asked_payer, 200);
}

TEST(Bandit, GainCountsPerCost) {
  Bandit bandit;
  int asked_cheap = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::string arm = bandit.order({"dear", "cheap"}).front();
    asked_cheap += arm == "cheap";
    bandit.record(arm, arm == "dear" ? 0.10 : 0.05, arm == "dear" ? 0.20 : 0);
  }
  EXPECT_GT(asked_cheap, 140);
}

TEST(Bandit, GoesOnTryingWhoEverGained) {
  Bandit bandit;
  bandit.record("a", 0.5, 0);
  bandit.record("b", 0, 0);
  int asked_b = 0;
  for (int turn = 0; turn < 300; ++turn) {
    std::string arm = bandit.order({"a", "b"}).front();
    asked_b += arm == "b";
    bandit.record(arm, arm == "a" ? 0.5 : 0, 0);
  }
  EXPECT_GT(asked_b, 1);
  EXPECT_LT(asked_b, 60);
}

}  // namespace
}  // namespace cuco::evolve
