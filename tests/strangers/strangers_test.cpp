// Programs as strangers write them, taken through cuco's command line as a stranger would: run with checks, converted,
// optimised. A program is any file below this folder that has a line "// stranger: WHAT IT STANDS FOR"; further lines say
// how it is used. Paths are seen from the file's folder, where cuco is started; flags and arguments are words of a shell.
//   // files: main.c src/kernels.cu     default: the file itself
//   // flags: -I include -D N=4         for the compiler
//   // ranks: 3                         -n; default: as many as the profile has
//   // options: --nodes 2               further options of simulate, transform and optimize
//   // arguments: -v 12                 what follows --
//   // expect-output: TEXT              must be in what the program prints; may be repeated
//   // expect-finding: KIND             cuco simulate --check must make it; without one it must make none
//   // expect-exit: 1                   what the program itself ends with; default: 0
//   // convert: lsa gin                 cuco transform must verify the program with each of these
//   // not-yet: STAGE REASON            what does not work today: simulate, convert or optimize; may be repeated
//   // optimize: 4                      cuco optimize must verify a candidate within so many evaluations; a program that
//                                       converts is in ./test --all optimised within two without this line
//   // case: -m 4096                    what follows -- there, instead of arguments: the size that is run
//   // case-on: -n 4 --profile NAME     options there, instead of ranks and options: where that size is run
//   // faster: 1.2                      the best must be so many times as fast as the program, there
//   // share: all                       left to ./test --all; the others are in the share of ./test
//   // nvcc: -lcufft                    what only nvcc needs to build it; for those who try it on GPUs
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "testing/share.h"

namespace cuco {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CUCO_SOURCE_DIR) / "tests" / "strangers";
constexpr int kLimitMs = 600'000;

class Stranger {
 public:
  explicit Stranger(fs::path file) : file_(std::move(file)), text_(read_file(file_).value()) {}

  std::vector<std::string> remarks(std::string_view key) const {
    std::vector<std::string> values;
    std::string prefix = concat("// ", key, ": ");
    for (const std::string& line : split(text_, '\n'))
      if (line.starts_with(prefix)) values.emplace_back(trim(std::string_view(line).substr(prefix.size())));
    return values;
  }
  std::string remark(std::string_view key, const std::string& otherwise = "") const {
    std::vector<std::string> values = remarks(key);
    return values.empty() ? otherwise : values.front();
  }
  // Why a stage does not work today; empty where it must.
  std::string lacking(std::string_view stage) const {
    for (const std::string& reason : remarks("not-yet"))
      if (reason.starts_with(concat(stage, " "))) return reason;
    return "";
  }
  std::string arguments() const { return remark("arguments"); }
  std::string name() const {
    std::string name = file_.lexically_relative(kFolder).replace_extension().string();
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
  }

  // Where it runs unless something else is said.
  std::string place() const {
    return concat(remark("options"), remark("ranks").empty() ? "" : concat(" -n ", remark("ranks")));
  }

  // Runs a command of cuco on it; `own` are the command's own options.
  ProcessOutput run(const std::string& command, const std::string& own, const std::string& words) const {
    std::string arguments = words.empty() ? "" : concat(" -- ", words);
    std::string line =
        concat("cd '", file_.parent_path().string(), "' && " CUCO_BINARY " ", command, " ",
               remark("files", file_.filename().string()), " ", remark("flags"), " ", own, arguments);
    RealProcessRunner processes;
    Result<ProcessOutput> output = processes.run({"/bin/sh", "-c", line}, kLimitMs);
    if (!output) return {-1, output.error().message};
    return {output->exit_code, concat("$ ", line, "\n", output->text)};
  }

 private:
  fs::path file_;
  std::string text_;
};

void PrintTo(const Stranger& stranger, std::ostream* out) { *out << stranger.name(); }

std::vector<Stranger> strangers() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kFolder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Stranger> found;
  for (const fs::path& file : files)
    if (Stranger stranger(file); file.extension() != ".cpp" || file.parent_path() != kFolder)
      if (!stranger.remarks("stranger").empty()) found.push_back(stranger);
  return found;
}

std::string name_of(const ::testing::TestParamInfo<Stranger>& info) { return info.param.name(); }

class StrangersProgram : public ::testing::TestWithParam<Stranger> {
 protected:
  void SetUp() override {
    if (!testing::runs_all_cases() && GetParam().remark("share") == "all") GTEST_SKIP() << "left to ./test --all";
  }
};

TEST_P(StrangersProgram, RunsWithChecks) {
  if (std::string reason = GetParam().lacking("simulate"); !reason.empty()) GTEST_SKIP() << reason;
  ProcessOutput output = GetParam().run(
      "simulate", concat(GetParam().place(), " --check --schedules 2"), GetParam().arguments());
  for (const std::string& expected : GetParam().remarks("expect-output"))
    EXPECT_NE(output.text.find(expected), std::string::npos) << "expected " << expected << " from\n" << output.text;
  std::string finding = GetParam().remark("expect-finding");
  bool is_flawed = !finding.empty() || GetParam().remark("expect-exit", "0") != "0";
  EXPECT_EQ(output.exit_code, is_flawed ? 1 : 0) << output.text;
  EXPECT_NE(output.text.find(finding), std::string::npos) << output.text;
}

TEST_P(StrangersProgram, Converts) {
  if (std::string reason = GetParam().lacking("convert"); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::string& backend : split(GetParam().remark("convert"), ' ')) {
    if (backend.empty()) continue;
    ScratchFolder scratch = ScratchFolder::make("cuco-stranger").value();
    std::string out = concat(GetParam().place(), " --backend ", backend, " --no-nvcc -o ", (scratch.path() / "out").string());
    ProcessOutput output = GetParam().run("transform", out, GetParam().arguments());
    EXPECT_EQ(output.exit_code, 0) << output.text;
  }
}

// Of the line "best #6    gin, stream, ...  73.35 ms   1.27x   verified, ..."; 0 without one.
double speed_up(const std::string& printed) {
  for (const std::string& line : split(printed, '\n')) {
    size_t end = line.find("x   verified");
    if (line.starts_with("best #") && end != line.npos) return std::stod(line.substr(line.rfind(' ', end)));
  }
  return 0;
}

TEST_P(StrangersProgram, IsOptimised) {
  if (std::string reason = GetParam().lacking("optimize"); !reason.empty()) GTEST_SKIP() << reason;
  bool converts_in_all = testing::runs_all_cases() && !GetParam().remark("convert").empty();
  std::string evaluations = GetParam().remark("optimize", converts_in_all ? "2" : "");
  if (evaluations.empty()) return;
  ScratchFolder scratch = ScratchFolder::make("cuco-stranger").value();
  ProcessOutput output = GetParam().run(
      "optimize",
      concat(GetParam().remark("case-on", GetParam().place()), " --no-nvcc --budget-evals ", evaluations, " --out ",
             (scratch.path() / "run").string()),
      GetParam().remark("case", GetParam().arguments()));
  EXPECT_EQ(output.exit_code, 0) << output.text;
  EXPECT_TRUE(fs::exists(scratch.path() / "run" / "best")) << output.text;
  EXPECT_NE(output.text.find("   verified, "), std::string::npos) << output.text;
  if (std::string wanted = GetParam().remark("faster"); !wanted.empty())
    EXPECT_GE(speed_up(output.text), std::stod(wanted)) << output.text;
}

INSTANTIATE_TEST_SUITE_P(Strangers, StrangersProgram, ::testing::ValuesIn(strangers()), name_of);

}  // namespace
}  // namespace cuco
