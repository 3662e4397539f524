// Building and running the programs of the tests. Comments in a program say how:
//   // ranks: N          // nodes: N          // define: NAME=VALUE
//   // with: FILE         another source file of the program, beside this one
// One with pragmas of OpenMP is compiled with it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "lowering/lower.h"
#include "testing/remembered_builds.h"
#include "vcluster/simulate.h"

namespace cuco {

inline const std::filesystem::path kSource = CUCO_SOURCE_DIR;

// The values of all lines "// key: value".
inline std::vector<std::string> remarks(const std::string& text, std::string_view key) {
  std::vector<std::string> values;
  std::string prefix = concat("// ", key, ": ");
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with(prefix)) values.emplace_back(trim(std::string_view(line).substr(prefix.size())));
  return values;
}

inline uint32_t number(const std::string& text, std::string_view key, uint32_t otherwise) {
  std::vector<std::string> values = remarks(text, key);
  return values.empty() ? otherwise : static_cast<uint32_t>(std::stoul(values.front()));
}

// How to run the program; `folder` is where everything is written.
inline vcluster::SimulationRequest request_for(const std::filesystem::path& program,
                                               const std::filesystem::path& folder) {
  std::string text = *read_file(program);
  vcluster::SimulationRequest request;
  request.build.files = {program.string()};
  for (const std::string& file : remarks(text, "with"))
    request.build.files.push_back((program.parent_path() / file).string());
  request.build.flags.definitions = remarks(text, "define");
  if (text.find("#pragma omp") != text.npos) request.build.flags.nvcc_options = {"-Xcompiler=-fopenmp"};
  request.build.share = kSource;
  request.build.folder = folder;
  request.rank_count = number(text, "ranks", 2);
  request.node_count = number(text, "nodes", 1);
  request.profile = kSource / "profiles" / (request.node_count > 1 ? "a100-2node-roce.toml" : "h100x8-nvlink.toml");
  request.time_limit_s = 10;
  Result<std::filesystem::path> runner = vcluster::default_runner();
  EXPECT_TRUE(runner) << runner.error().message;
  if (runner) request.runner = *runner;
  return request;
}

// An image that was built before of the same text serves again, unless `builds_anew`.
inline vcluster::SimulationReport run(const vcluster::SimulationRequest& request, bool builds_anew = false) {
  RealProcessRunner real;
  testing::RememberingProcesses remembering;
  Result<vcluster::SimulationReport> report = builds_anew
                                                  ? vcluster::simulate(request, lowering::lower_to_cpp, real)
                                                  : vcluster::simulate(request, testing::lower_once, remembering);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *report : vcluster::SimulationReport{};
}

inline std::string describe(const vcluster::ScheduleResult& result) {
  std::string text = concat("seed ", result.seed, ": ", result.report.verdict, "\n", result.output);
  for (const vcluster::RunFinding& finding : result.report.findings)
    text += concat(finding.kind, " rank ", finding.rank, ": ", finding.text, "\n");
  return text;
}

}  // namespace cuco
