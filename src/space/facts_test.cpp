#include "space/facts.h"

#include <gtest/gtest.h>

#include "space/directive.h"

namespace cuco::space {
namespace {

using model::Index;
using model::OperationKind;

// gemm<<<64, 256>>>(x) -> ncclAllGather(x, y) -> norm<<<n / 64, 256>>>(y), and other<<<>>>() that touches neither.
struct Sample {
  model::Program program;
  model::CommGraph graph;

  Sample() {
    program.files = {{"a.cu", 40, {}}};
    program.communicators = {{"comm", model::CommunicatorOrigin::InitRank, "4", model::kNone}};
    program.rank_model = model::RankModel::Mpi;
    Index gemm = add_launch("gemm", "64", 2);
    Index gather = add_gather(1024);
    Index norm = add_launch("norm", "n / 64", 0);
    Index other = add_launch("other", "1", 0);
    graph.dependences = {{gemm, gather, 0, model::DependenceKind::ReadAfterWrite},
                         {gather, norm, 1, model::DependenceKind::ReadAfterWrite}};
    model::Site site;
    site.name = "s1";
    site.operations = {gather};
    site.producers = {0};
    site.consumers = {1};
    site.overlaps = {{other, false, false}, {gemm, false, true}};
    site.in_region = true;
    graph.sites = {site};
  }

  Index add_launch(const std::string& name, const std::string& grid, uint32_t block_barriers) {
    model::Kernel kernel;
    kernel.name = name;
    kernel.block_barriers = block_barriers;
    kernel.pointers = {{"p", 0, model::Access::ReadWrite, false}};
    program.kernels.push_back(kernel);
    model::Operation operation;
    operation.kind = OperationKind::Launch;
    operation.callee = name;
    operation.launch =
        model::LaunchDetail{static_cast<Index>(program.kernels.size() - 1), name, grid, "256", "0", {}, false};
    return add(operation);
  }

  Index add_gather(int64_t count) {
    model::Operation operation;
    operation.kind = OperationKind::Communicate;
    operation.callee = "ncclAllGather";
    operation.range = operation.text = {0, 10, 20, 7, 3, true};
    operation.communicate = model::CommunicateDetail{};
    operation.communicate->collective = model::Collective::AllGather;
    operation.communicate->count_value = model::Symbolic::constant(count);
    operation.communicate->type = "ncclFloat";
    operation.communicate->element_bytes = 4;
    operation.communicate->communicator = 0;
    return add(operation);
  }

  Index add(const model::Operation& operation) {
    program.operations.push_back(operation);
    return static_cast<Index>(program.operations.size() - 1);
  }

  model::CommunicateDetail& call() { return *program.operations[1].communicate; }
  SiteFacts facts() const { return site_facts(program, graph, 0); }
};

TEST(Facts, DescribeTheCall) {
  SiteFacts facts = Sample().facts();
  EXPECT_EQ(facts.name, "s1");
  EXPECT_EQ(facts.callee, "ncclAllGather");
  EXPECT_EQ(facts.location, "a.cu:7:3");
  EXPECT_EQ(facts.type, "ncclFloat");
  EXPECT_EQ(facts.message_bytes, 4096u);
  EXPECT_EQ(facts.rank_model, model::RankModel::Mpi);
  EXPECT_TRUE(facts.in_region);
}

TEST(Facts, DescribeTheWorkOnBothSides) {
  SiteFacts facts = Sample().facts();
  ASSERT_EQ(facts.producers.size(), 1u);
  EXPECT_EQ(facts.producers[0].name, "gemm");
  EXPECT_EQ(facts.producers[0].grid_ctas, 64u);
  EXPECT_EQ(facts.producers[0].block_threads, 256u);
  EXPECT_EQ(facts.producers[0].block_barriers, 2u);
  EXPECT_EQ(facts.producers[0].tile_obstacle, "");
  ASSERT_EQ(facts.consumers.size(), 1u);
  EXPECT_EQ(facts.consumers[0].name, "norm");
  EXPECT_FALSE(facts.consumers[0].grid_ctas);
}

TEST(Facts, OverlapsOfOtherIterationsAreCountedApart) {
  SiteFacts facts = Sample().facts();
  EXPECT_EQ(facts.overlap_count, 1u);
  EXPECT_EQ(facts.overlap_iteration_count, 1u);
}

TEST(Facts, MessageIsUnknownWhereCountOrTypeIs) {
  Sample sample;
  sample.call().count_value = model::Symbolic::unknown("n");
  EXPECT_FALSE(sample.facts().message_bytes);
  sample.call().count_value = model::Symbolic::constant(8);
  sample.call().element_bytes = 0;
  EXPECT_FALSE(sample.facts().message_bytes);
  sample.call().element_bytes = 8;
  sample.call().count_value = model::Symbolic::constant(INT64_MAX);
  EXPECT_FALSE(sample.facts().message_bytes);
}

TEST(Facts, MessageIsUnknownWhereCallPathsDiffer) {
  Sample sample;
  sample.graph.sites[0].operations.push_back(sample.add_gather(1024));
  EXPECT_EQ(sample.facts().message_bytes, 4096u);
  sample.graph.sites[0].operations.push_back(sample.add_gather(2048));
  EXPECT_FALSE(sample.facts().message_bytes);
}

TEST(Facts, AssumedDependenceHidesTheTiles) {
  Sample sample;
  sample.graph.dependences[0].assumed = true;
  EXPECT_EQ(sample.facts().producers[0].tile_obstacle, "which bytes `gemm` touches is not known");
}

TEST(Facts, PointerHandedToUnseenCodeHidesTheTiles) {
  Sample sample;
  sample.program.kernels[0].pointers[0].assumed = true;
  sample.program.steps = {{0, {{0, {}, std::nullopt, model::Access::Write, "p"}}, 0, model::kNone, {}, false}};
  EXPECT_EQ(sample.facts().producers[0].tile_obstacle, "`gemm` touches the buffer in code that cannot be seen");
  sample.program.steps[0].regions[0].buffer = 1;
  EXPECT_EQ(sample.facts().producers[0].tile_obstacle, "");
}

TEST(Facts, WorkThatIsNotAKernelHasNoTiles) {
  Sample sample;
  sample.program.operations[0].kind = OperationKind::Library;
  sample.program.operations[0].callee = "cublasSgemm";
  sample.program.operations[0].launch.reset();
  EXPECT_EQ(sample.facts().producers[0].tile_obstacle, "`cublasSgemm` is not a kernel of this program");
  EXPECT_FALSE(sample.facts().producers[0].has_body);
}

TEST(Facts, UnresolvedKernelHasNoTiles) {
  Sample sample;
  sample.program.operations[0].launch->kernel = model::kNone;
  EXPECT_EQ(sample.facts().producers[0].tile_obstacle, "the kernel behind `gemm` is not known");
}

TEST(Facts, WorkJoinedByTwoBuffersIsTakenOnce) {
  Sample sample;
  sample.graph.dependences.push_back({0, 1, 5, model::DependenceKind::ReadAfterWrite});
  sample.graph.sites[0].producers = {0, 2};
  EXPECT_EQ(sample.facts().producers.size(), 1u);
}

TEST(Facts, CollectiveOutsideAGroupIsAnExchangeOfItsOwn) { EXPECT_EQ(Sample().facts().exchange, "s1"); }

TEST(Facts, SitesOfOneGroupAreOneExchange) {
  Sample sample;
  model::Operation start;
  start.kind = OperationKind::GroupStart;
  sample.call().group = sample.add(start);
  sample.call().collective = model::Collective::Send;
  sample.program.operations[1].conditions = {"peer != rank"};
  sample.add(sample.program.operations[1]);
  EXPECT_EQ(sample.facts().exchange, "communicator 0") << "a group that only sends has its other end elsewhere";
  sample.program.operations[5].communicate->collective = model::Collective::Recv;
  EXPECT_EQ(sample.facts().exchange, "group 4");
  EXPECT_EQ(sample.facts().condition, "") << "every rank enters the group, whatever it sends in it";
}

TEST(Facts, TransfersOutsideAGroupMeetOnTheirCommunicator) {
  Sample sample;
  sample.call().collective = model::Collective::Recv;
  sample.program.operations[1].conditions = {"rank == 1"};
  sample.program.operations[1].rank_dependent = true;
  EXPECT_EQ(sample.facts().exchange, "communicator 0");
  EXPECT_EQ(sample.facts().condition, "rank == 1");
}

TEST(Facts, TransfersOutsideTheRegionMeetEachOther) {
  Sample sample;
  sample.call().collective = model::Collective::Send;
  sample.graph.sites[0].in_region = true;
  std::string inside = sample.facts().exchange;
  sample.graph.sites[0].in_region = false;
  EXPECT_NE(sample.facts().exchange, inside);
}

TEST(Facts, TransfersInAGroupOfSomeRanksMeetOnTheirCommunicator) {
  Sample sample;
  model::Operation start;
  start.kind = OperationKind::GroupStart;
  start.conditions = {"rank == 1"};
  start.rank_dependent = true;
  sample.call().group = sample.add(start);
  sample.call().collective = model::Collective::Recv;
  EXPECT_EQ(sample.facts().exchange, "communicator 0");
  EXPECT_EQ(sample.facts().condition, "rank == 1");
}

TEST(Facts, BranchThatAllRanksTakeAlikeIsNoCondition) {
  Sample sample;
  sample.program.operations[1].conditions = {"step + 1 < ranks"};
  EXPECT_EQ(sample.facts().condition, "");
  sample.program.operations[1].rank_dependent = true;
  EXPECT_EQ(sample.facts().condition, "step + 1 < ranks");
}

TEST(Facts, SplitCommunicatorIsNamed) {
  Sample sample;
  EXPECT_EQ(sample.facts().split_communicator, "");
  sample.program.communicators[0].origin = model::CommunicatorOrigin::Split;
  EXPECT_EQ(sample.facts().split_communicator, "comm");
}

TEST(Facts, ExtentsAreReadFromNumbersOnly) {
  EXPECT_EQ(literal_extent("128"), 128u);
  EXPECT_EQ(literal_extent("4 * 32"), 128u);
  EXPECT_EQ(literal_extent("dim3(8, 8)"), 64u);
  EXPECT_EQ(literal_extent("dim3{8u, 2 * 4, 2}"), 128u);
  for (const char* text : {"n", "dim3(n, 8)", "n / 64", "", "dim3()", "1 + 2", "dim3", "dim3)", "99999999999999999999",
                           "4294967296 * 4294967296"})
    EXPECT_FALSE(literal_extent(text)) << text;
}

}  // namespace
}  // namespace cuco::space
