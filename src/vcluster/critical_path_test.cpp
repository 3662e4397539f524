#include "vcluster/critical_path.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

TEST(Intervals, MergeWhatTouches) {
  Intervals set;
  set.add(10, 20);
  set.add(0, 5);
  set.add(5, 7);
  set.add(12, 15);
  EXPECT_EQ(set.merged(), (std::vector<std::pair<int64_t, int64_t>>{{0, 7}, {10, 20}}));
}

TEST(Intervals, LeaveOutWhatIsEmpty) {
  Intervals set;
  set.add(4, 4);
  set.add(9, 3);
  EXPECT_TRUE(set.merged().empty());
}

TEST(Intervals, StaySmallWhenTheyOverlap) {
  Intervals set;
  for (int64_t i = 0; i < 100'000; i++) set.add(i, i + 2);
  EXPECT_EQ(set.merged(), (std::vector<std::pair<int64_t, int64_t>>{{0, 100'001}}));
}

// compute        ....####....
// communication  ..########..
// launch         .#..........
TEST(TimeByCategory, CountsCommunicationThatComputeDoesNotHide) {
  std::vector<Intervals> spans(kCategories);
  spans[static_cast<size_t>(Category::Compute)].add(4, 8);
  spans[static_cast<size_t>(Category::Communication)].add(2, 10);
  spans[static_cast<size_t>(Category::Launch)].add(1, 2);
  TimeByCategory time = time_by_category(spans, 0, 12);
  EXPECT_EQ(time.compute, 4);
  EXPECT_EQ(time.exposed_communication, 4);
  EXPECT_EQ(time.launch, 1);
  EXPECT_EQ(time.wait, 3);
}

TEST(TimeByCategory, LooksAtItsSpanOnly) {
  std::vector<Intervals> spans(kCategories);
  spans[static_cast<size_t>(Category::Compute)].add(0, 100);
  TimeByCategory time = time_by_category(spans, 40, 50);
  EXPECT_EQ(time.compute, 10);
  EXPECT_EQ(time.wait, 0);
}

}  // namespace
}  // namespace cuco::vcluster
