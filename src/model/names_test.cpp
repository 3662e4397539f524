#include <gtest/gtest.h>

#include <set>

#include "model/comm_graph.h"
#include "model/step_facts.h"
#include "testing/program_builder.h"

namespace cuco::model {
namespace {

TEST(Names, AreDistinctLowerCaseWords) {
  std::set<std::string_view> seen;
  for (int kind = 0; kind <= static_cast<int>(OperationKind::HostCallback); ++kind) {
    std::string_view name = name_of(static_cast<OperationKind>(kind));
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << name;
  }
}

// A table out of step with its enum shifts every name after the slip, so one name at each end and in the middle tells.
TEST(Names, FollowTheEnums) {
  EXPECT_EQ(name_of(OperationKind::Launch), "launch");
  EXPECT_EQ(name_of(OperationKind::StreamWaitEvent), "stream_wait_event");
  EXPECT_EQ(name_of(OperationKind::WindowRegister), "window_register");
  EXPECT_EQ(name_of(OperationKind::Mpi), "mpi");
  EXPECT_EQ(name_of(OperationKind::ClockRead), "clock_read");
  EXPECT_EQ(name_of(Collective::AllGather), "all_gather");
  EXPECT_EQ(name_of(Collective::AlltoAll), "all_to_all");
  EXPECT_EQ(name_of(Collective::Recv), "recv");
  EXPECT_EQ(name_of(Access::ReadWrite), "read_write");
  EXPECT_EQ(name_of(BufferKind::PinnedHost), "pinned_host");
  EXPECT_EQ(name_of(BufferKind::External), "external");
  EXPECT_EQ(name_of(StreamKind::NonBlocking), "non_blocking");
  EXPECT_EQ(name_of(DeviceCommKind::GinPut), "gin_put");
  EXPECT_EQ(name_of(DeviceCommKind::Ll), "ll");
  EXPECT_EQ(name_of(CopyKind::DeviceToHost), "device_to_host");
  EXPECT_EQ(name_of(LoopKind::Do), "do");
  EXPECT_EQ(name_of(RankModel::SingleProcess), "single_process");
  EXPECT_EQ(name_of(RegionBasis::FirstToLast), "first_to_last");
  EXPECT_EQ(name_of(RegionBasis::Clock), "clock");
  EXPECT_EQ(name_of(CommunicatorOrigin::Split), "split");
  EXPECT_EQ(name_of(SyncScope::Stream), "stream");
  EXPECT_EQ(name_of(DependenceKind::WriteAfterRead), "write_after_read");
  EXPECT_EQ(name_of(LoopRole::Chunks), "chunks");
  EXPECT_EQ(name_of(GroupPattern::Pairwise), "pairwise");
  EXPECT_EQ(name_of(Severity::Warning), "warning");
  EXPECT_EQ(severity_named("warning"), Severity::Warning);
  EXPECT_EQ(severity_named("?"), Severity::Error);
}

TEST(Diagnostic, TextStartsWithTheLocation) {
  EXPECT_EQ(to_text({Severity::Warning, "a.cu:1:2", "odd"}), "a.cu:1:2: warning: odd");
  EXPECT_EQ(to_text({Severity::Error, "", "odd"}), "error: odd");
}

TEST(LocationText, IsEmptyWithoutAFile) {
  Program program;
  program.files.push_back({"a.cu", 10, {}});
  EXPECT_EQ(location_text(program, {0, 0, 1, 7, 3, true}), "a.cu:7:3");
  EXPECT_EQ(location_text(program, {}), "");
}

TEST(StepFacts, NeighbouringMeansOneStepInOneLoop) {
  EXPECT_TRUE((CommonIterations{{1, 2}, {1, 3}}.neighbouring()));
  EXPECT_FALSE((CommonIterations{{1, 2}, {2, 3}}.neighbouring()));
  EXPECT_FALSE((CommonIterations{{1, 2}, {1, 4}}.neighbouring()));
  EXPECT_FALSE((CommonIterations{{1, 2}, {1, 2}}.neighbouring()));
}

TEST(StepFacts, OppositeSidesNeedOneCall) {
  Operation then_side;
  Operation else_side;
  then_side.conditions = {"a", "b"};
  else_side.conditions = {"a", "!(b)"};
  EXPECT_TRUE(on_opposite_sides(then_side, else_side));
  else_side.call_path = {SourceRange{}};
  EXPECT_FALSE(on_opposite_sides(then_side, else_side));
}

}  // namespace
}  // namespace cuco::model
