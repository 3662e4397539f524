// Programs whose exchanges run beside their work print what they printed before, under every checker and on several
// schedules.
#include <gtest/gtest.h>

#include <map>

#include "base/scratch_folder.h"
#include "built_program.h"
#include "testing/share.h"
#include "trial.h"

namespace cuco {
namespace {

struct Way {
  const char* name;
  space::Backend backend;
  space::Placement placement;
  space::SyncScope sync;
  uint32_t streams;
  space::WorkOrder order = space::WorkOrder::AsWritten;
};

constexpr Way kWays[] = {
    {"LsaStreamByMessage", space::Backend::Lsa, space::Placement::Stream, space::SyncScope::Flag, 2},
    {"LsaSplitWhole", space::Backend::Lsa, space::Placement::Split, space::SyncScope::Barrier, 1},
    {"GinSplitByMessage", space::Backend::Gin, space::Placement::Split, space::SyncScope::PeerSignal, 0},
    {"GinSplitByMessageOnALane", space::Backend::Gin, space::Placement::Split, space::SyncScope::PeerSignal, 1},
    {"GinStreamWhole", space::Backend::Gin, space::Placement::Stream, space::SyncScope::Barrier, 1},
    {"GinStreamByMessageInTurn", space::Backend::Gin, space::Placement::Stream, space::SyncScope::PeerSignal, 2},
    {"LsaStreamSideBySide", space::Backend::Lsa, space::Placement::Stream, space::SyncScope::Flag, 2,
     space::WorkOrder::SideBySide},
    {"GinSplitSideBySide", space::Backend::Gin, space::Placement::Split, space::SyncScope::PeerSignal, 1,
     space::WorkOrder::SideBySide},
    {"HybridStreamByMessage", space::Backend::Hybrid, space::Placement::Stream, space::SyncScope::PeerSignal, 1},
};

class InFlight : public testing::SharedOut<Way, 5> {
 protected:
  void expect_same(const char* program, bool reduces = false) {
    Trial trial{kFolder / program, {}, {}, 4, GetParam().backend == space::Backend::Lsa ? 1u : 2u};
    ClusterRun run{{}, trial.ranks, trial.nodes, profile_for(GetParam().backend)};
    const std::string& expected = outcome_before(trial, run);
    ASSERT_TRUE(expected.ends_with("\nok")) << expected;
    Result<std::string> text =
        rewritten(trial, GetParam().backend, [&](space::Plan& plan) { take_way(plan, reduces); });
    ASSERT_TRUE(text) << text.error().message;
    ASSERT_NE(text->find("cuco::comm::Options().overlap("), std::string::npos);
    ScratchFolder scratch = ScratchFolder::make("cuco-in-flight").value();
    std::filesystem::path file = scratch.path() / trial.program.filename();
    ASSERT_TRUE(write_file(file, *text));
    Result<BuiltProgram> after = BuiltProgram::build({file}, true, kSource);
    ASSERT_TRUE(after) << after.error().message;
    for (run.seed = 1; run.seed <= 3; run.seed++) EXPECT_EQ(after->outcome(run), expected) << "seed " << run.seed;
  }

 private:
  // The same for all ways with one profile.
  static const std::string& outcome_before(const Trial& trial, const ClusterRun& run) {
    static std::map<std::string, std::string> known;
    std::string key = run_key(trial, run.profile);
    if (known.contains(key)) return known[key];
    Result<BuiltProgram> before = BuiltProgram::build({trial.program}, false, kSource);
    return known[key] = before ? before->outcome(run) : before.error().message;
  }

  // Reductions are not split.
  static void take_way(space::Plan& plan, bool reduces) {
    plan.schedule.streams = reduces ? std::max(1u, GetParam().streams) : GetParam().streams;
    plan.schedule.order = GetParam().order;
    for (space::SiteChoice& choice : plan.choices) {
      choice.directive.placement = reduces ? space::Placement::Stream : GetParam().placement;
      choice.directive.sync = GetParam().sync;
    }
  }
};

TEST_P(InFlight, DoubleBuffersAreNotOverrun) { expect_same("double_buffers.cu"); }
TEST_P(InFlight, SourceMayBeOverwrittenRightAfterTheCall) { expect_same("overwritten_source.cu"); }
TEST_P(InFlight, StreamsOfTheProgramStayInOrder) { expect_same("two_streams.cu", true); }
TEST_P(InFlight, UnevenMessagesArriveWhereTheReceiverWants) { expect_same("uneven_all_to_all.cu"); }
TEST_P(InFlight, KernelsWaitForWhatTheyShareBytesWith) { expect_same("independent_kernels.cu"); }
TEST_P(InFlight, PipelineWithoutGroupsKeepsItsOrder) { expect_same("pipeline_of_ranks.cu"); }

std::string name_of(const ::testing::TestParamInfo<Way>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Ways, InFlight, ::testing::ValuesIn(kWays), name_of);

}  // namespace
}  // namespace cuco
