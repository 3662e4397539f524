// Programs of tests/rewrite before and after rewriting print the same. The plan is the fast path with one backend for
// all sites.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/scratch_folder.h"
#include "built_program.h"
#include "testing/share.h"
#include "trial.h"

namespace cuco {
namespace {

std::string outcome(const Trial& trial, space::Backend backend) {
  Result<BuiltProgram> program = BuiltProgram::build({trial.program}, trial.check, kSource);
  if (!program) return program.error().message;
  return program->outcome({trial.arguments, trial.ranks, trial.nodes, profile_for(backend)});
}

void expect_same(Trial trial, space::Backend backend) {
  std::string before = outcome(trial, backend);
  ASSERT_TRUE(before.ends_with("\nok")) << before;
  Result<std::string> text = rewritten(trial, backend);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->find("ncclSend("), std::string::npos);
  ScratchFolder scratch = ScratchFolder::make("cuco-rewritten").value();
  trial.program = scratch.path() / trial.program.filename();
  ASSERT_TRUE(write_file(trial.program, *text));
  trial.check = true;
  EXPECT_EQ(outcome(trial, backend), before);
}

std::string backend_name(const ::testing::TestParamInfo<space::Backend>& info) {
  return info.param == space::Backend::Lsa ? "Lsa" : info.param == space::Backend::Gin ? "Gin" : "Hybrid";
}

class Rewritten : public testing::SharedOut<space::Backend> {
 protected:
  // On one node for load and store, otherwise on two.
  Trial of(const char* program) const {
    return {kFolder / program, {}, {}, 4, GetParam() == space::Backend::Lsa ? 1u : 2u};
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, Rewritten,
                         ::testing::Values(space::Backend::Lsa, space::Backend::Gin, space::Backend::Hybrid),
                         backend_name);

TEST_P(Rewritten, UnevenMessagesArriveWhereTheReceiverWants) { expect_same(of("uneven_all_to_all.cu"), GetParam()); }
TEST_P(Rewritten, PipelineWithoutGroupsKeepsItsOrder) { expect_same(of("pipeline_of_ranks.cu"), GetParam()); }
TEST_P(Rewritten, GroupOfReductionsAloneIsAGroup) { expect_same(of("grouped_reductions.cu"), GetParam()); }
TEST_P(Rewritten, GroupMayHaveMoreMessagesThanSlots) { expect_same(of("many_in_a_group.cu"), GetParam()); }
TEST_P(Rewritten, OneStatementMayFreeWindowsAndOthers) { expect_same(of("one_free_for_all.cu"), GetParam()); }
TEST_P(Rewritten, SplitCommunicatorsCountApart) { expect_same(of("split_grid.cu"), GetParam()); }
TEST_P(Rewritten, ThreadsAsRanksKeepTheirWindowsApart) {
  Trial trial = of("ring_of_threads.cu");
  trial.nodes = 1;
  expect_same(trial, GetParam());
}

// The line of the timeline that has the first kernel of a rank whose name begins so.
size_t first_launch(const std::vector<std::string>& timeline, uint32_t rank, const std::string& name) {
  for (size_t i = 0; i < timeline.size(); i++)
    if (timeline[i].find(concat("\"pid\":", rank, ",")) != std::string::npos &&
        timeline[i].find(concat("\"kernel ", name)) != std::string::npos)
      return i;
  return timeline.size();
}

TEST_P(Rewritten, EveryRankMeetsItsPeersBeforeTheFirstCall) {
  Trial trial = of("pipeline_of_ranks.cu");
  Result<std::string> text = rewritten(trial, GetParam());
  ASSERT_TRUE(text) << text.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-rewritten").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
  Result<BuiltProgram> program = BuiltProgram::build({scratch.path() / "program.cu"}, false, kSource);
  ASSERT_TRUE(program) << program.error().message;
  std::filesystem::path trace = scratch.path() / "trace.json";
  std::string outcome = program->outcome({{}, trial.ranks, trial.nodes, profile_for(GetParam()), trace});
  ASSERT_TRUE(outcome.ends_with("\nok")) << outcome;
  std::vector<std::string> timeline = split(*read_file(trace), '\n');
  for (uint32_t rank = 0; rank < trial.ranks; rank++) {
    EXPECT_LT(first_launch(timeline, rank, "exchange_for<0"), first_launch(timeline, rank, "make"));
    size_t first_call = timeline.size();
    for (const char* site : {"1", "2", "3", "4"})
      first_call = std::min(first_call, first_launch(timeline, rank, concat("exchange_for<", site)));
    EXPECT_LT(first_launch(timeline, rank, "exchange_for<0"), first_call);
    EXPECT_LT(first_call, timeline.size());
  }
}

TEST_P(Rewritten, HostFilesGetDeclarationsAndTheFirstDeviceFileTheRest) {
  const std::filesystem::path folder = kFolder / "host_file";
  std::vector<std::filesystem::path> files = {folder / "main.cpp", folder / "kernels.cu"};
  ClusterRun run{{}, 4, GetParam() == space::Backend::Lsa ? 1u : 2u, profile_for(GetParam())};
  Result<BuiltProgram> before = BuiltProgram::build(files, false, kSource);
  ASSERT_TRUE(before) << before.error().message;
  std::string expected = before->outcome(run);
  ASSERT_TRUE(expected.ends_with("\nok")) << expected;

  frontend::ParseRequest parse;
  for (const std::filesystem::path& file : files) parse.files.push_back(file.string());
  parse.flags.include_folders = {kFolder.string()};
  parse.share = kSource;
  Result<std::vector<rewrite::Source>> sources = rewritten_files(parse, GetParam());
  ASSERT_TRUE(sources) << sources.error().message;
  EXPECT_EQ((*sources)[0].text.find("nccl_device.h"), std::string::npos) << "a host compiler cannot read it";
  EXPECT_EQ((*sources)[0].text.find("ncclAllReduce("), std::string::npos);
  ScratchFolder scratch = ScratchFolder::make("cuco-rewritten").value();
  for (const rewrite::Source& source : *sources)
    ASSERT_TRUE(write_file(scratch.path() / std::filesystem::path(source.path).filename(), source.text));
  Result<BuiltProgram> after =
      BuiltProgram::build({scratch.path() / "main.cpp", scratch.path() / "kernels.cu"}, true, kSource);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->outcome(run), expected);
}

}  // namespace
}  // namespace cuco
