#include "vcluster/runtime/timing/collective_time.h"

#include <gtest/gtest.h>

namespace cuco::vcluster {
namespace {

model::Topology topology() {
  model::Topology two_nodes;
  two_nodes.inside = model::Link{"nvlink", 1, 100, 0};
  two_nodes.between = model::Link{"roce", 5, 10, 0};
  return two_nodes;
}

TEST(CollectiveTime, OfTwoRanksIsTheBaseAndTheBytes) {
  EXPECT_EQ(collective_time({model::Collective::AllGather, 1e6, 2, 2}, topology(), 12 * kMicrosecond),
            22 * kMicrosecond);
}

TEST(CollectiveTime, OfManyRanksAddsHopsOfTheShorterAlgorithm) {
  // A ring of 16 has 14 hops more than one of 2, twice; a tree three levels more, twice.
  EXPECT_EQ(collective_time({model::Collective::AllReduce, 0, 16, 16}, topology(), 0), 6 * kMicrosecond);
  EXPECT_EQ(collective_time({model::Collective::AllGather, 0, 16, 16}, topology(), 0), 14 * kMicrosecond);
}

TEST(CollectiveTime, SharesTheWaysOutOfANode) {
  // Four rings, so a quarter of 2 * 7/8 of the bytes on every way out, at a tenth of the speed inside.
  Work work = traffic_of({model::Collective::AllReduce, 8e6, 8, 4});
  EXPECT_DOUBLE_EQ(work.inside_bytes, 14e6);
  EXPECT_DOUBLE_EQ(work.between_bytes, 3.5e6);
}

TEST(CollectiveTime, OfAllToAllIsThatOfTheSlowerLink) {
  Work work = traffic_of({model::Collective::AlltoAll, 1e6, 8, 4});
  EXPECT_DOUBLE_EQ(work.inside_bytes, 3e6);
  EXPECT_DOUBLE_EQ(work.between_bytes, 4e6);
  EXPECT_EQ(collective_time({model::Collective::AlltoAll, 1e6, 8, 4}, topology(), 0), 400 * kMicrosecond);
}

TEST(CollectiveTime, OfOneRankMovesNothing) {
  EXPECT_DOUBLE_EQ(traffic_of({model::Collective::AllReduce, 1e6, 1, 1}).inside_bytes, 0);
}

}  // namespace
}  // namespace cuco::vcluster
