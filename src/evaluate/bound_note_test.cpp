#include "evaluate/bound_note.h"

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
  EXPECT_NE(note_below_bound(timing(55, 40, 60), baseline).find("does not charge in full"), std::string::npos);
  baseline.bound_order_us = 70;
  Timing reordered = timing(65, 40, 60);
  reordered.bound_order_us = 62;
  EXPECT_EQ(note_below_bound(reordered, baseline),
            "faster than the baseline's bound of 70 us: it runs kernels, or parts of them, in another order");
}

}  // namespace
}  // namespace cuco::evaluate
