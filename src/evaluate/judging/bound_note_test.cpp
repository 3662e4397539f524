#include "evaluate/judging/bound_note.h"

#include <gtest/gtest.h>

namespace cuco::evaluate {
namespace {

Timing timing(double us, double compute_us, double communication_us) {
  Timing timing;
  timing.median_us = us;
  timing.bound_compute_us = compute_us;
  timing.bound_communication_us = communication_us;
  return timing;
}

TEST(BoundNote, SaysNothingAtOrAboveTheBound) {
  EXPECT_EQ(note_below_bound(timing(50, 40, 30), timing(80, 50, 30)), "");
  EXPECT_EQ(note_below_bound(timing(70, 50, 30), timing(80, 50, 30)), "");
}

TEST(BoundNote, NamesWhatTheCandidateHasLessOf) {
  Timing baseline = timing(80, 40, 60);
  EXPECT_EQ(note_below_bound(timing(55, 40, 45), baseline),
            "faster than the baseline's bound of 60 us: it moves fewer bytes");
  EXPECT_EQ(note_below_bound(timing(55, 30, 60), baseline),
            "faster than the baseline's bound of 60 us: its kernels have less to do in the form it gives them");
  baseline.bound_order_us = 70;
  Timing reordered = timing(65, 40, 60);
  reordered.bound_order_us = 62;
  EXPECT_EQ(note_below_bound(reordered, baseline),
            "faster than the baseline's bound of 70 us: it runs kernels, or parts of them, in another order");
}

TEST(Impossibility, TimeBelowWhatItsOwnBlocksOrBytesTakeIsNamed) {
  EXPECT_EQ(impossibility(timing(20, 30, 10), timing(80, 40, 60)),
            "it is said to take 20 us, but the blocks that it was seen to run take 30 us in whatever order");
  EXPECT_EQ(impossibility(timing(20, 10, 30), timing(80, 40, 60)),
            "it is said to take 20 us, but the bytes that it was seen to send take 30 us in whatever order");
}

TEST(Impossibility, MoreHiddenThanThereIsIsNamed) {
  Timing baseline = timing(80, 40, 30), candidate = timing(45, 40, 30);
  baseline.bound_order_us = 50, candidate.bound_order_us = 60;
  EXPECT_EQ(impossibility(candidate, baseline),
            "it is said to take 45 us, less than its kernels take in their order (60 us) and less than the baseline's "
            "bound (50 us): more would be hidden than there is to hide");
}

TEST(Impossibility, FewerBytesLessWorkAndAnotherOrderArePossible) {
  Timing baseline = timing(80, 40, 60);
  EXPECT_EQ(impossibility(timing(55, 40, 45), baseline), "");
  EXPECT_EQ(impossibility(timing(45, 30, 45), baseline), "");
  baseline.bound_order_us = 70;
  Timing reordered = timing(65, 40, 60);
  reordered.bound_order_us = 62;
  EXPECT_EQ(impossibility(reordered, baseline), "");
}

}  // namespace
}  // namespace cuco::evaluate
