#include "vcluster/runtime/api/host/openmp/shares.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace cuco::vcluster::openmp {
namespace {

// Who executes each iteration, when the threads take turns in asking; -1: nobody.
std::vector<int> owners(Schedule schedule, uint64_t count, uint64_t chunk, uint64_t threads) {
  std::vector<int> owner(count, -1);
  Progress common;
  std::vector<Progress> own(threads);
  bool is_common = schedule == Schedule::Dynamic || schedule == Schedule::Guided;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (uint64_t thread = 0; thread < threads; thread++) {
      Share share = next_share(schedule, count, chunk, threads, thread, is_common ? common : own[thread]);
      for (uint64_t i = share.begin; i < share.end; i++) {
        EXPECT_EQ(owner[i], -1) << "iteration " << i;
        owner[i] = static_cast<int>(thread);
        goes_on = true;
      }
    }
  }
  return owner;
}

TEST(OpenMpShares, StaticPartsAreEvenAndTheFirstThreadsHaveOneMore) {
  EXPECT_EQ(owners(Schedule::Static, 7, 0, 3), (std::vector<int>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(owners(Schedule::Static, 2, 0, 3), (std::vector<int>{0, 1}));
  EXPECT_EQ(static_share(0, 4, 3), (Share{0, 0}));
}

TEST(OpenMpShares, StaticChunksGoAround) {
  EXPECT_EQ(owners(Schedule::StaticChunks, 7, 2, 2), (std::vector<int>{0, 0, 1, 1, 0, 0, 1}));
}

TEST(OpenMpShares, DynamicChunksGoToWhoAsksNext) {
  EXPECT_EQ(owners(Schedule::Dynamic, 5, 2, 2), (std::vector<int>{0, 0, 1, 1, 0}));
}

TEST(OpenMpShares, GuidedChunksShrinkToTheLeastSize) {
  EXPECT_EQ(owners(Schedule::Guided, 8, 1, 2), (std::vector<int>{0, 0, 0, 0, 1, 1, 0, 1}));
}

TEST(OpenMpShares, IterationsAreCountedInBothDirectionsAndToTheEndOfTheType) {
  EXPECT_EQ(iteration_count<int32_t>(0, 9, 3), 4u);
  EXPECT_EQ(iteration_count<int32_t>(9, 0, -3), 4u);
  EXPECT_EQ(iteration_count<int32_t>(0, -1, 1), 0u);
  EXPECT_EQ(iteration_count<uint64_t>(0, std::numeric_limits<uint64_t>::max() - 1, 1),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(iteration_count<int64_t>(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max() - 1, 1),
            std::numeric_limits<uint64_t>::max());
}

}  // namespace
}  // namespace cuco::vcluster::openmp
