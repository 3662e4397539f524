// A program built once for the virtual cluster and run as often as wanted.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "testing/remembered_builds.h"
#include "vcluster/exported_symbols.h"
#include "vcluster/simulate.h"

namespace cuco {

struct ClusterRun {
  std::vector<std::string> arguments;
  uint32_t ranks = 4;
  uint32_t nodes = 1;
  std::string profile;
  std::filesystem::path trace = {};     // Where the timeline goes, of a build without checkers.
  uint64_t seed = 1;                    // Of the schedule, where checks are on.
  std::filesystem::path accesses = {};  // Where its launches and what they touch go, of a build with checkers.
};

class BuiltProgram {
 public:
  static Result<BuiltProgram> build(const std::vector<std::filesystem::path>& files, bool check,
                                    const std::filesystem::path& source) {
    BuiltProgram program(source);
    vcluster::BuildRequest& build = program.request_.build;
    for (const std::filesystem::path& file : files) build.files.push_back(file.string());
    build.flags.include_folders = {(source / "tests" / "rewrite").string()};
    build.share = source;
    build.folder = program.scratch_.path();
    if (check) build.check_plugin = *vcluster::default_check_plugin();
    program.request_.runner = *vcluster::default_runner();
    program.request_.time_limit_s = 900;
    Result<vcluster::NameSet> implemented = vcluster::exported_symbols(program.request_.runner);
    if (!implemented) return implemented.error();
    build.implemented = *std::move(implemented);
    testing::RememberingProcesses processes;
    Result<vcluster::Image> image = vcluster::build_image(build, testing::lower_once, processes);
    if (!image) return image.error();
    program.image_ = *std::move(image);
    return program;
  }

  // What the program printed, sorted, because ranks print in the order in which they come; then everything against it.
  std::string outcome(const ClusterRun& run) const {
    vcluster::SimulationRequest request = request_;
    request.arguments = run.arguments;
    request.rank_count = run.ranks;
    request.node_count = run.nodes;
    request.trace = run.trace;
    request.accesses = run.accesses;
    request.seed = request.build.checks() ? run.seed : 0;
    request.profile = source_ / "profiles" / (run.profile + ".toml");
    RealProcessRunner processes;
    Result<vcluster::ScheduleResult> schedule = vcluster::run_schedule(request, image_, request.seed, processes);
    if (!schedule) return schedule.error().message;
    std::vector<std::string> lines = split(schedule->output, '\n');
    std::sort(lines.begin(), lines.end());
    std::string text = concat(join(lines, "\n"), "\n", schedule->report.verdict);
    for (const vcluster::RunFinding& finding : schedule->report.findings)
      text += concat("\n", finding.kind, ": ", finding.text);
    return text;
  }

 private:
  explicit BuiltProgram(std::filesystem::path source)
      : source_(std::move(source)), scratch_(ScratchFolder::make("cuco-built").value()) {}

  std::filesystem::path source_;
  ScratchFolder scratch_;
  vcluster::SimulationRequest request_;
  vcluster::Image image_;
};

}  // namespace cuco
