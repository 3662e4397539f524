// Every bundled workload converts by rules, verified, for load and store and for the network. A share of the
// combinations; ./test --all runs all workloads with both backends on 2, 4 and 8 ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/command.h"
#include "testing/share.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR;

struct Conversion {
  std::filesystem::path workload;
  std::string backend;
  int ranks = 2;
};

std::vector<std::filesystem::path> workloads() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "workloads"))
    if (std::filesystem::exists(entry.path() / "workload.toml")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Conversion> conversions() {
  bool all = testing::runs_all_cases();
  std::vector<Conversion> chosen;
  size_t number = 0;
  for (const std::filesystem::path& workload : workloads()) {
    number++;
    for (const char* backend : {"lsa", "gin"})
      for (int ranks : {2, 4, 8})
        if (all || (ranks == 2 && (backend[0] == 'l') == (number % 2 == 0)))
          chosen.push_back({workload, backend, ranks});
  }
  return chosen;
}

std::string name_of(const ::testing::TestParamInfo<Conversion>& info) {
  return concat(info.param.workload.filename().string(), "_", info.param.backend, "_", info.param.ranks);
}

class ConvertedWorkload : public ::testing::TestWithParam<Conversion> {};

TEST_P(ConvertedWorkload, IsVerified) {
  const Conversion& conversion = GetParam();
  bool near = conversion.backend == "lsa";
  ScratchFolder scratch = ScratchFolder::make("cuco-convert").value();
  std::string output = (scratch.path() / "out.cu").string();
  std::ostringstream out, err;
  RealProcessRunner processes;
  RealEnvironment environment;
  cli::Context context{out, err, false, processes, environment, kSource};
  int exit_code =
      cli::run_command_line({"transform", conversion.workload.string(), "--config",
                             conversion.ranks == 8 ? "small-8ranks" : "small", "-n", std::to_string(conversion.ranks),
                             "--nodes", near ? "1" : "2", "--profile", near ? "h100x8-nvlink" : "a100-2node-roce",
                             "--backend", conversion.backend, "--no-nvcc", "--no-cache", "--seeds", "2", "-o", output},
                            context);
  EXPECT_EQ(exit_code, 0) << out.str() << err.str();
  EXPECT_NE(out.str().find("stage B  device-initiated communication     verified"), std::string::npos) << out.str();
}

INSTANTIATE_TEST_SUITE_P(Workloads, ConvertedWorkload, ::testing::ValuesIn(conversions()), name_of);

}  // namespace
}  // namespace cuco
