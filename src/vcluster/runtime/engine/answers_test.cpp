#include "vcluster/runtime/engine/answers.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

constexpr long kPatience = 1000;

class AnswersTest : public ::testing::Test {
 protected:
  // One every 10 ms.
  void tell(const char* place, float value, int times = 1) {
    for (int i = 0; i < times; i++) told.add(0, place, &value, sizeof value, now += 10);
  }
  uint64_t repeated() const { return told.repeated(now, kPatience); }

  Answers told;
  long now = 0;
};

TEST_F(AnswersTest, TheSameAgainAndAgainIsNoProgress) {
  tell("f.cu:9", 2, 300);
  EXPECT_EQ(repeated(), 299u);
}

TEST_F(AnswersTest, OneThatIsNewIsProgress) {
  tell("f.cu:9", 2, 300);
  tell("f.cu:12", 1);
  EXPECT_EQ(repeated(), 0u);
  tell("f.cu:9", 2, 300);
  EXPECT_GT(repeated(), 0u);
}

TEST_F(AnswersTest, OneOfTwoPlacesThatChangesIsProgress) {
  for (int i = 0; i < 300; i++) tell("f.cu:9", 2), tell("f.cu:10", static_cast<float>(i));
  EXPECT_EQ(repeated(), 0u);
}

TEST_F(AnswersTest, FewAnswersOrNoneSayNothing) {
  EXPECT_EQ(told.repeated(100'000, kPatience), 0u);
  tell("f.cu:9", 2, 20);
  EXPECT_EQ(told.repeated(100'000, kPatience), 0u);
}

}  // namespace
}  // namespace cuco::vcluster
