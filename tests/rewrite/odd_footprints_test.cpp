// Kernels that cannot send what they write, because it is irregular, overlapping or depends on data, order or rank, are
// refused with the reason that the program states: "// refused: REASON" in the line before a call.
#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/command.h"

namespace cuco {
namespace {

const std::filesystem::path kSource = CUCO_SOURCE_DIR, kFolder = kSource / "tests" / "rewrite";

// "odd_footprints.cu:87" and the reason.
using Refusals = std::vector<std::pair<std::string, std::string>>;

Refusals stated_refusals(const std::filesystem::path& program) {
  Refusals refusals;
  std::vector<std::string> lines = split(*read_file(program), '\n');
  const std::string mark = "// refused: ";
  for (size_t i = 0; i < lines.size(); i++)
    if (size_t at = lines[i].find(mark); at != lines[i].npos)
      refusals.emplace_back(concat(program.filename().string(), ":", i + 2, ":"), lines[i].substr(at + mark.size()));
  return refusals;
}

// What cuco transform says against a plan in which a kernel sends for every call.
std::string said_against_fusing(const std::filesystem::path& program, size_t sites) {
  ScratchFolder scratch = ScratchFolder::make("cuco-odd").value();
  std::string plan;
  for (size_t i = 1; i <= sites; i++) plan += concat("s", i, " lsa/tile-fused/flag/cta/256B\n");
  EXPECT_TRUE(write_file(scratch.path() / "plan", plan));
  std::ostringstream out, err;
  RealProcessRunner processes;
  RealEnvironment environment;
  cli::Context context{out, err, false, processes, environment, kSource};
  int code = cli::run_command_line({"transform", program.string(), "-I", kFolder.string(), "-n", "2", "--nodes", "1",
                                    "--profile", "h100x8-nvlink", "--plan", (scratch.path() / "plan").string(),
                                    "--no-nvcc", "--seeds", "1", "-o", (scratch.path() / "out").string()},
                                   context);
  EXPECT_EQ(code, 2) << out.str();
  return err.str();
}

std::string line_with(const std::string& text, const std::string& place) {
  for (const std::string& line : split(text, '\n'))
    if (line.find(place) != line.npos) return line;
  return "";
}

TEST(OddFootprints, AreRefusedWithTheReason) {
  std::filesystem::path program = kFolder / "odd_footprints.cu";
  Refusals wanted = stated_refusals(program);
  EXPECT_GE(wanted.size(), 12u);
  std::string said = said_against_fusing(program, wanted.size());
  for (const auto& [place, reason] : wanted)
    EXPECT_NE(line_with(said, place).find(reason), std::string::npos) << place << " " << reason << "\n" << said;
}

}  // namespace
}  // namespace cuco
