// Who was seen to move how many bytes to whom, for programs whose bytes are known.
#include "model/traffic.h"

#include "run_program.h"

namespace cuco {
namespace {

using model::Carrier;

model::Traffic traffic_of(const char* program) {
  ScratchFolder scratch = ScratchFolder::make("cuco-traffic").value();
  vcluster::SimulationRequest request = request_for(kSource / "tests" / "simulate" / program, scratch.path());
  request.build.check_plugin = vcluster::default_check_plugin().value();
  vcluster::SimulationReport report = run(request);
  EXPECT_FALSE(report.schedules.empty());
  return report.schedules.empty() ? model::Traffic() : report.schedules[0].report.traffic;
}

uint64_t moved(const model::Traffic& traffic, model::RankPair pair, Carrier carrier) {
  return model::bytes_between(traffic, pair, [&](const model::Transfer& each) { return each.carrier == carrier; });
}

TEST(Traffic, PutsAndGetsGoWhereTheirBytesGo) {
  model::Traffic traffic = traffic_of("gin_of_nccl_2_30.cu");
  // A put of 2048 bytes by the one, a get of as many by the other. Signals have none.
  EXPECT_EQ(moved(traffic, {0, 1}, Carrier::Gin), 4096u);
  EXPECT_EQ(moved(traffic, {1, 0}, Carrier::Gin), 4096u);
  EXPECT_EQ(moved(traffic, {0, 1}, Carrier::Lsa), 0u);
  EXPECT_EQ(traffic.transfers[0].what, "exchange");
}

TEST(Traffic, MultimemReachesEveryPeer) {
  model::Traffic traffic = traffic_of("multimem_ptx.cu");
  // A quarter of 1024 bytes is loaded by each rank and stored by each, and a flag.
  EXPECT_EQ(moved(traffic, {0, 3}, Carrier::Lsa), 256u + 256u + 4u);
  EXPECT_EQ(moved(traffic, {3, 0}, Carrier::Lsa), 256u + 256u + 4u);
}

TEST(Traffic, CopyBetweenDevicesIsSeen) {
  model::Traffic traffic = traffic_of("copy_between_devices.cu");
  EXPECT_EQ(moved(traffic, {1, 0}, Carrier::Copy), 4096u * sizeof(float)) << model::to_json(traffic);
}

TEST(Traffic, SendOfTheHostHasItsLine) {
  model::Traffic traffic = traffic_of("bytes_of_blocks.cu");
  EXPECT_EQ(moved(traffic, {0, 1}, Carrier::Host), 256u);
  EXPECT_EQ(moved(traffic, {1, 0}, Carrier::Host), 0u);
  EXPECT_EQ(traffic.transfers.at(0).what, "ncclSend");
  EXPECT_TRUE(traffic.transfers[0].place.ends_with("bytes_of_blocks.cu:38")) << traffic.transfers[0].place;
}

}  // namespace
}  // namespace cuco
