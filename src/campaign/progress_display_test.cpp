#include "campaign/progress_display.h"

#include <gtest/gtest.h>

#include <sstream>

namespace cuco::campaign {
namespace {

evolve::Member member(store::Id id, double us) {
  evolve::Member member;
  member.candidate.id = id;
  member.verdict.timing.emplace();
  member.verdict.timing->median_us = us;
  return member;
}

class ProgressDisplayTest : public ::testing::Test {
 protected:
  evolve::Progress progress(uint32_t evaluations) {
    evolve::Progress progress;
    progress.evaluations = evaluations;
    progress.budget = 40;
    progress.generation = 3;
    progress.rejected = 1;
    progress.baseline = &baseline;
    progress.best = &best;
    progress.current = {"#8 split\nit"};
    return progress;
  }
  evolve::Member baseline = member(1, 18420), best = member(7, 13610);
  std::ostringstream err;
};

TEST_F(ProgressDisplayTest, PlainLineForEveryTurnThatAdvanced) {
  ProgressDisplay display(err, ShownAs::Lines);
  display.on_progress(progress(6));
  display.on_level(8, "timing");
  display.on_progress(progress(6));
  EXPECT_EQ(err.str(), "6/40 evaluations, generation 3, best #7 13.61 ms 1.35x, 1 rejected, $0.00\n");
  display.on_progress(progress(8));
  EXPECT_NE(err.str().find("8/40 evaluations"), std::string::npos);
  EXPECT_EQ(err.str().find('\033'), std::string::npos);
}

TEST_F(ProgressDisplayTest, PlainLineOfWhatIsUnderWayAfterAQuietWhile) {
  ProgressDisplay display(err, ShownAs::Lines, std::chrono::seconds(0));
  display.on_level(8, "trying n=64 of 4096");
  EXPECT_EQ(err.str(), "  #8 trying n=64 of 4096\n");
}

TEST_F(ProgressDisplayTest, BlockShowsCandidatesAndLevelsAndGoesAway) {
  ProgressDisplay display(err, ShownAs::Block);
  display.on_progress(progress(6));
  display.on_level(8, "timing");
  EXPECT_NE(err.str().find("  #8 split it\n  #8 timing\n"), std::string::npos) << err.str();
  std::string before = err.str();
  display.clear();
  EXPECT_EQ(err.str().substr(before.size()), "\033[1A\033[2K\033[1A\033[2K\033[1A\033[2K");
}

TEST_F(ProgressDisplayTest, NothingIsNothing) {
  ProgressDisplay display(err, ShownAs::Nothing);
  display.on_progress(progress(6));
  display.on_level(8, "timing");
  display.clear();
  EXPECT_EQ(err.str(), "");
}

TEST(SecondsText, HasMinutesFromOneOn) {
  EXPECT_EQ(seconds_text(41.4), "41 s");
  EXPECT_EQ(seconds_text(130), "2 min 10 s");
}

}  // namespace
}  // namespace cuco::campaign
