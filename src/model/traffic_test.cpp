#include "model/traffic.h"

#include <gtest/gtest.h>

namespace cuco::model {
namespace {

bool all(const Transfer&) { return true; }

TEST(Traffic, BytesGoOnByWayOfOtherRanks) {
  Traffic ring{1, {{0, 1, Carrier::Gin, "ring", "", 8}, {1, 2, Carrier::Gin, "ring", "", 8}}};
  EXPECT_EQ(with_relays(pairs_of(ring, all)), (std::set<RankPair>{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(Traffic, TransferOfNoBytesConnectsNobody) {
  EXPECT_TRUE(pairs_of({1, {{0, 1, Carrier::Gin, "signal", "", 0}}}, all).empty());
}

TEST(Traffic, BytesOfAPairAreThoseThatCount) {
  Traffic traffic{
      1, {{0, 1, Carrier::Lsa, "a", "", 8}, {0, 1, Carrier::Mpi, "b", "", 4}, {1, 0, Carrier::Lsa, "a", "", 2}}};
  EXPECT_EQ(bytes_between(traffic, {0, 1}, all), 12u);
  EXPECT_EQ(bytes_between(traffic, {0, 1}, [](const Transfer& each) { return is_nccl(each.carrier); }), 8u);
}

TEST(Traffic, IsReadAsItIsWritten) {
  Traffic traffic{3,
                  {{0, 1, Carrier::Lsa, "move<4>", "a.cu:7", 8},
                   {1, 0, Carrier::Lsa, "move<4>", "a.cu:7", 4},
                   {0, 1, Carrier::Host, "ncclSend", "a.cu:9", 2}}};
  EXPECT_EQ(traffic_from_json(to_json(traffic)), traffic);
  EXPECT_EQ(traffic_from_json("no traffic"), Traffic());
}

TEST(Traffic, CarriersAreFoundByTheirNames) {
  for (Carrier carrier : {Carrier::Host, Carrier::Lsa, Carrier::Gin, Carrier::Copy, Carrier::Mpi})
    EXPECT_EQ(find_carrier(name_of(carrier)), carrier);
  EXPECT_FALSE(find_carrier("pigeon"));
}

}  // namespace
}  // namespace cuco::model
