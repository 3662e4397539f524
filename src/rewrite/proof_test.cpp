// A program whose one site, an all-reduce of x into y, became a kernel; what its runs moved is stated by hand.
#include "rewrite/proof.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "testing/program_builder.h"

namespace cuco::rewrite {
namespace {

using model::Carrier;
using testing::ProgramBuilder;

constexpr const char* kDirective = "lsa/deferred/barrier/cta/whole";

struct ProvenSite : public ::testing::Test {
  ProgramBuilder before, after;
  model::CommGraph graph_before, graph_after;
  InferredPlan inferred;
  space::Plan plan = {{{"s1", *space::parse_directive(kDirective)}}, {}};
  model::Traffic original{2, {}}, seen{2, {}};
  Asked asked = Asked::Backends;

  ProvenSite() {
    before.all_reduce(before.buffer("x"), before.buffer("y"), before.stream("s"));
    graph_before = model::build_comm_graph(before.program());
    graph_after = model::build_comm_graph(after.program());
    inferred.plan = plan;
    inferred.kernels["s1"] = {"move<float>"};
    for (auto [from, to] : {std::pair(0, 1), std::pair(1, 0)})
      original.transfers.push_back({from, to, Carrier::Host, "ncclAllReduce", place(), 64});
  }

  std::string location() { return model::location_text(before.program(), before.program().operations[0].range); }
  std::string place() { return location().substr(0, location().rfind(':')); }
  void moved(int from, int to, Carrier carrier = Carrier::Lsa) {
    seen.transfers.push_back({from, to, carrier, "move<float>", "a.cu:9", 128});
  }
  Proof proof() {
    return prove(
        {before.program(), graph_before, after.program(), graph_after, plan, inferred, {original, seen, 4}, asked});
  }
};

using Lines = std::vector<std::string>;

TEST_F(ProvenSite, SaysWhichKernelMovedWhichBytes) {
  moved(0, 1);
  moved(1, 0);
  EXPECT_EQ(to_text(proof()),
            concat("converted  s1 ncclAllReduce at ", location(), " is ", kDirective,
                   ": kernel move<float>, 128 bytes from each rank to each other by lsa\n"
                   "seen in    4 schedules of 2 calls of the region; bytes are those of the first\n"));
}

TEST(ProofText, SitesOfWhichTheSameWasSeenShareALine) {
  Proof proof;
  proof.converted = {{"s1 ncclSend at a.cu:1:1", "lsa: x"}, {"s2 ncclRecv at a.cu:2:1", "lsa: x"}, {"s3 b", "gin: y"}};
  proof.runs = "1 schedule";
  EXPECT_EQ(to_text(proof),
            "converted  s1 ncclSend at a.cu:1:1,\n"
            "           s2 ncclRecv at a.cu:2:1\n"
            "           are lsa: x\n"
            "converted  s3 b is gin: y\n"
            "seen in    1 schedule\n");
}

TEST_F(ProvenSite, NothingSeenIsNotConverted) {
  EXPECT_EQ(proof().faults,
            (Lines{concat("s1 ncclAllReduce at ", location(),
                          ": no kernel was seen to move data from rank 0 to rank 1, nor between 1 other pair")}));
}

TEST_F(ProvenSite, OneWayIsNotBoth) {
  moved(0, 1);
  EXPECT_EQ(proof().faults.size(), 1u);
}

TEST_F(ProvenSite, BytesMayComeByWayOfAnotherRank) {
  moved(0, 2);
  moved(2, 1);
  moved(1, 0);
  EXPECT_TRUE(proof().holds()) << to_text(proof());
}

TEST_F(ProvenSite, BackendThatWasAskedForIsMetOrRefused) {
  moved(0, 1, Carrier::Gin);
  moved(1, 0, Carrier::Gin);
  EXPECT_EQ(proof().faults,
            Lines{"s1: lsa is asked for, and kernel move<float> launched at a.cu:9 was seen to use gin"});
  asked = Asked::Nothing;
  EXPECT_TRUE(proof().holds()) << to_text(proof());
}

TEST_F(ProvenSite, HybridMayUseBoth) {
  plan.choices[0].directive.backend = space::Backend::Hybrid;
  moved(0, 1, Carrier::Gin);
  moved(1, 0, Carrier::Lsa);
  EXPECT_TRUE(proof().holds()) << to_text(proof());
}

TEST_F(ProvenSite, PlacementThatWasAskedForIsMetOrRefused) {
  moved(0, 1);
  moved(1, 0);
  inferred.plan.choices[0].directive.placement = space::Placement::TileFused;
  EXPECT_TRUE(proof().holds()) << to_text(proof());
  asked = Asked::Placements;
  EXPECT_EQ(proof().faults, Lines{"s1: the plan asks for lsa/deferred/barrier/cta/whole, the code shows "
                                  "lsa/tile-fused/barrier/cta/whole"});
}

// The region is guessed anew when calls have left the host: what was to stay there may lie in it then.
TEST_F(ProvenSite, CallThatStaysMayComeIntoTheRegion) {
  before.all_reduce(before.buffer("x"), before.buffer("z"), before.stream("s"));
  after.all_reduce(after.buffer("x"), after.buffer("z"), after.stream("s"));
  graph_before = model::build_comm_graph(before.program());
  graph_after = model::build_comm_graph(after.program());
  ASSERT_EQ(graph_before.sites.size(), 2u);
  plan.choices.push_back({graph_before.sites[1].name, {}});
  graph_before.sites[1].in_region = false;
  auto faults = [&] {
    return prove_by_rules({before.program(),
                           graph_before,
                           after.program(),
                           graph_after,
                           plan,
                           inferred,
                           {original, seen, 4},
                           asked},
                          {})
        .faults;
  };
  std::string left = "a call of ncclAllReduce is left in the region that the plan takes off the host";
  EXPECT_EQ(std::ranges::count(faults(), left), 0);
  after.all_reduce(after.buffer("x"), after.buffer("y"), after.stream("s"));
  graph_after = model::build_comm_graph(after.program());
  EXPECT_NE(std::ranges::count(faults(), left), 0);
}

TEST_F(ProvenSite, SiteThatIsLeftIsSaidToStay) {
  after.all_reduce(after.buffer("x"), after.buffer("y"), after.stream("s"));
  graph_after = model::build_comm_graph(after.program());
  plan.choices[0].directive = {};
  Proof kept = proof();
  EXPECT_TRUE(kept.holds());
  EXPECT_TRUE(kept.converted.empty());
  EXPECT_EQ(kept.kept, Lines{concat("s1 ncclAllReduce at ", location(), " stays on the host: the plan leaves it")});
}

}  // namespace
}  // namespace cuco::rewrite
