// Every bundled workload converts by rules, verified, for load and store and for the network, and the same text with a
// planted fault is rejected. A share of the combinations; ./test --all runs all workloads with both backends on 2, 4
// and 8 ranks.
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

struct Fault {
  const char *what, *right, *wrong;
};

// Both hold until a slot is used for the second time.
std::vector<Fault> faults_of(const std::string& backend) {
  if (backend == "lsa")
    return {{"does not wait until the place is free", "while (word >> kTagShift != tag_of(message))",
             "while (word >> kTagShift == 0)"},
            {"waits for a constant", "< full_count(here, message.sequence)", "< kShares"}};
  return {{"does not wait until the place is free", "here.uses_of(message.sequence) * (here.exact ? 2 : 1)",
           "(here.exact ? 2 : 1)"},
          {"waits for a constant", "1), full_count(here, message.sequence));", "1), kShares);"}};
}

class ConvertedWorkload : public ::testing::TestWithParam<Conversion> {
 protected:
  struct Ended {
    int exit_code;
    std::string text;
  };

  // With the size, machine and effort that all commands of a conversion share.
  static Ended run(std::vector<std::string> arguments) {
    const Conversion& conversion = GetParam();
    bool near = conversion.backend == "lsa";
    const std::vector<std::string> words = {"--config",  conversion.ranks == 8 ? "small-8ranks" : "small",
                                            "-n",        std::to_string(conversion.ranks),
                                            "--nodes",   near ? "1" : "2",
                                            "--profile", near ? "h100x8-nvlink" : "a100-2node-roce",
                                            "--no-nvcc", "--seeds",
                                            "2"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::ostringstream out;
    RealProcessRunner processes;
    RealEnvironment environment;
    cli::Context context{out, out, false, processes, environment, kSource};
    int exit_code = cli::run_command_line(arguments, context);
    return {exit_code, out.str()};
  }
};

TEST_P(ConvertedWorkload, IsVerifiedAndRejectedWithAFault) {
  const Conversion& conversion = GetParam();
  ScratchFolder scratch = ScratchFolder::make("cuco-convert").value();
  std::string output = (scratch.path() / "out.cu").string(), cache = (scratch.path() / "cache").string();
  Ended converted = run({"transform", conversion.workload.string(), "--backend", conversion.backend, "--cache", cache,
                         "--single-file", "-o", output});
  ASSERT_EQ(converted.exit_code, 0) << converted.text;
  EXPECT_NE(converted.text.find("device-initiated communication  verified"), std::string::npos) << converted.text;
  std::string text = *read_file(output);
  for (const Fault& fault : faults_of(conversion.backend)) {
    std::string faulty = (scratch.path() / "faulty.cu").string();
    ASSERT_NE(text.find(fault.right), text.npos) << fault.what;
    ASSERT_TRUE(write_file(faulty, replace_all(text, fault.right, fault.wrong)));
    Ended judged =
        run({"evaluate", conversion.workload.string(), "--candidate", faulty, "--rewritten", "--cache", cache});
    EXPECT_EQ(judged.exit_code, 1) << fault.what << "\n" << judged.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, ConvertedWorkload, ::testing::ValuesIn(conversions()), name_of);

}  // namespace
}  // namespace cuco
