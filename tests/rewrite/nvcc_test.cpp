// Rewritten programs compile with nvcc against the real headers of NCCL, where these are.
#include <gtest/gtest.h>

#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "trial.h"

namespace cuco {
namespace {

bool answers(const std::string& program) {
  RealProcessRunner processes;
  Result<ProcessOutput> output = processes.run({program, "--version"}, 20'000);
  return output && output->exit_code == 0;
}

std::vector<std::string> mpi_include_flags() {
  RealProcessRunner processes;
  Result<ProcessOutput> output = processes.run({"mpicxx", "--showme:compile"}, 20'000);
  std::vector<std::string> flags;
  if (!output || output->exit_code != 0) return flags;
  for (const std::string& flag : split(trim(output->text), ' '))
    if (flag.starts_with("-I")) flags.push_back(flag);
  return flags;
}

std::string compile(const std::filesystem::path& program, const std::string& architecture,
                    const std::vector<std::string>& definitions) {
  std::vector<std::string> command = {
      "nvcc", "-std=c++17", "-arch=" + architecture, "-I", kFolder.string(), "-c", program.string(), "-o", "/dev/null"};
  for (const std::string& flag : mpi_include_flags()) command.push_back(flag);
  for (const std::string& definition : definitions) command.push_back("-D" + definition);
  RealProcessRunner processes;
  Result<ProcessOutput> output = processes.run(command, 300'000);
  if (!output) return output.error().message;
  return output->exit_code == 0 ? "" : output->text;
}

struct Compiled {
  const char* program;
  std::vector<std::string> definitions;
  space::Backend backend;
  const char* architecture;
};

class Nvcc : public ::testing::TestWithParam<Compiled> {};

TEST_P(Nvcc, CompilesTheRewrittenProgram) {
  if (!answers("nvcc") || mpi_include_flags().empty()) GTEST_SKIP() << "nvcc or MPI's compiler is not here";
  Trial trial{kFolder / GetParam().program, GetParam().definitions, {}};
  Result<std::string> text = rewritten(trial, GetParam().backend);
  ASSERT_TRUE(text) << text.error().message;
  ScratchFolder scratch = ScratchFolder::make("cuco-nvcc").value();
  ASSERT_TRUE(write_file(scratch.path() / "program.cu", *text));
  EXPECT_EQ(compile(scratch.path() / "program.cu", GetParam().architecture, GetParam().definitions), "");
}

// nvcc gives .cpp files to the host's compiler, which cannot read device code.
TEST(NvccHostFile, CompilesBesideItsDeviceFile) {
  if (!answers("nvcc") || mpi_include_flags().empty()) GTEST_SKIP() << "nvcc or MPI's compiler is not here";
  frontend::ParseRequest parse;
  for (const char* name : {"main.cpp", "kernels.cu"}) parse.files.push_back((kFolder / "host_file" / name).string());
  parse.include_folders = {kFolder.string()};
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
