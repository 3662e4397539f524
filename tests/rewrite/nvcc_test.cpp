// Rewritten programs compile with nvcc against the real headers of NCCL, where these are.
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "nvcc_compile.h"

namespace cuco {
namespace {

struct Compiled {
  const char* program;
  std::vector<std::string> definitions;
  space::Backend backend;
  const char* architecture;
};

class Nvcc : public ::testing::TestWithParam<Compiled> {};

TEST_P(Nvcc, CompilesTheRewrittenProgram) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  Trial trial{kFolder / GetParam().program, GetParam().definitions, {}};
  Result<std::string> text = rewritten(trial, GetParam().backend);
  ASSERT_TRUE(text) << text.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
  EXPECT_EQ(compile(scratch.path() / "program.cu", GetParam().architecture, GetParam().definitions), "");
}

TEST(NvccLibrary, CompilesEveryRoute) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  EXPECT_EQ(compile(kFolder / "every_route.cu", "sm_90", {}), "");
}

TEST(NvccLanes, CompilesKernelsSideBySide) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  Trial trial{kFolder / "independent_kernels.cu", {}, {}};
  Result<std::string> text = rewritten(trial, space::Backend::Hybrid, [](space::Plan& plan) {
    plan.schedule = {2, space::WorkOrder::SideBySide, 1, space::StreamPriority::High};
    for (space::SiteChoice& choice : plan.choices) {
      choice.directive.placement = space::Placement::Stream;
      choice.directive.sync = space::SyncScope::PeerSignal;
    }
  });
  ASSERT_TRUE(text) << text.error().message;
  ASSERT_NE(text->find("= cuco::comm::side_stream("), std::string::npos);
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
  EXPECT_EQ(compile(scratch.path() / "program.cu", "sm_90", {}), "");
}

// nvcc gives .cpp files to the host's compiler, which cannot read device code.
TEST(NvccHostFile, CompilesBesideItsDeviceFile) {
  if (!can_compile()) GTEST_SKIP() << "nvcc or MPI's header is not here";
  frontend::ParseRequest parse;
  for (const char* name : {"main.cpp", "kernels.cu"}) parse.files.push_back((kFolder / "host_file" / name).string());
  parse.flags.include_folders = {kFolder.string()};
  parse.share = kSource;
  Result<std::vector<rewrite::Source>> sources = rewritten_files(parse, space::Backend::Lsa);
  ASSERT_TRUE(sources) << sources.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  for (const char* name : {"main.cpp", "kernels.cu"}) {
    const rewrite::Source& source = (*sources)[name == std::string("main.cpp") ? 0 : 1];
    ASSERT_TRUE(write_file(scratch.path() / name, source.text));
    EXPECT_EQ(compile(scratch.path() / name, "sm_90", {}), "") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Nvcc,
                         ::testing::Values(Compiled{"uneven_all_to_all.cu", {}, space::Backend::Lsa, "sm_80"},
                                           Compiled{"pipeline_of_ranks.cu", {}, space::Backend::Gin, "sm_90"},
                                           Compiled{"split_grid.cu", {}, space::Backend::Hybrid, "sm_80"},
                                           Compiled{"ring_of_threads.cu", {}, space::Backend::Hybrid, "sm_90"},
                                           Compiled{"matrix.cu", {}, space::Backend::Gin, "sm_80"},
                                           Compiled{"matrix.cu", {}, space::Backend::Lsa, "sm_90"}));

}  // namespace
}  // namespace cuco
