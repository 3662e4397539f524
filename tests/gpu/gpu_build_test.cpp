// Every workload, built by nvcc with the runner linked in. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "evaluate/workload.h"
#include "gpu/program.h"
#include "testing/scratch_folder.h"

namespace cuco::gpu {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> workload_folders() {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(CUCO_SOURCE_DIR) / "workloads"))
    if (fs::exists(entry.path() / "workload.toml")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<SourceFile> files_of(const evaluate::Workload& workload) {
  std::vector<SourceFile> files;
  for (const fs::path& path : workload.files)
    files.push_back({path.lexically_relative(workload.folder).string(), read_file(path).value()});
  return files;
}

class GpuBuild : public ::testing::TestWithParam<fs::path> {
 protected:
  static evaluate::Cache cache() {
    static cuco::testing::ScratchFolder folder;  // The runner is compiled for the first workload only.
    return evaluate::Cache(folder.path());
  }
};

TEST_P(GpuBuild, WorkloadBuildsWithTheRunner) {
  RealProcessRunner processes;
  Result<Toolchain> toolchain = find_toolchain(processes, RealEnvironment());
  if (!toolchain) GTEST_SKIP() << toolchain.error().message;
  evaluate::Workload workload = evaluate::load_workload(GetParam()).value();
  evaluate::Tools tools = evaluate::find_tools(share_folder().value(), RealEnvironment()).value();
  evaluate::ProgramSetting setting;
  setting.configuration = workload.configurations.front();
  setting.flags.include_folders = {workload.folder};
  Program program = Program::make(files_of(workload), setting, tools, *toolchain, "sm_90", cache()).value();
  Status built = program.build();
  EXPECT_TRUE(built.ok()) << built.error().message;
}

std::string name_of(const ::testing::TestParamInfo<fs::path>& info) { return info.param.filename().string(); }

INSTANTIATE_TEST_SUITE_P(Workloads, GpuBuild, ::testing::ValuesIn(workload_folders()), name_of);

}  // namespace
}  // namespace cuco::gpu
