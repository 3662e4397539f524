// A program of tests/rewrite on the virtual cluster, under the checkers: what it printed and touched.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/scratch_folder.h"
#include "base/text.h"
#include "testing/remembered_builds.h"
#include "trial.h"
#include "vcluster/simulate.h"

namespace cuco {

struct TracedRun {
  std::string text;  // Sorted lines, the verdict, the findings; then those of schedules that differ.
  model::AccessTrace trace;
  double communication_us = 0;  // Of the busiest link, at its full speed.
};

// Ranks print in the order in which they come.
inline std::string printed(const vcluster::ScheduleResult& schedule) {
  std::vector<std::string> lines = split(schedule.output, '\n');
  std::sort(lines.begin(), lines.end());
  std::string text = concat(join(lines, "\n"), "\n", schedule.report.verdict);
  for (const vcluster::RunFinding& finding : schedule.report.findings)
    text += concat("\n", finding.kind, ": ", finding.text);
  return text;
}

inline TracedRun run_traced(const Trial& trial, space::Backend backend, uint32_t schedules) {
  ScratchFolder scratch = ScratchFolder::make("cuco-slices").value();
  vcluster::SimulationRequest request;
  request.build.files = {trial.program.string()};
  request.build.flags.include_folders = {kFolder.string()};
  request.build.flags.definitions = trial.definitions;
  request.build.share = kSource;
  request.build.folder = scratch.path();
  request.build.check_plugin = *vcluster::default_check_plugin();
  request.arguments = trial.arguments;
  request.rank_count = trial.ranks;
  request.node_count = trial.nodes;
  request.profile = kSource / "profiles" / (profile_for(backend) + ".toml");
  request.seed = 1;
  request.schedule_count = schedules;
  request.runner = *vcluster::default_runner();
  request.accesses = scratch.path() / "accesses";
  testing::RememberingProcesses processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, testing::lower_once, processes);
  if (!report) return {report.error().message, {}, 0};
  std::string text = printed(report->schedules[0]);
  for (const vcluster::ScheduleResult& schedule : report->schedules)
    if (printed(schedule) != text) text += concat("\nseed ", schedule.seed, ":\n", printed(schedule));
  Result<std::string> accesses = read_file(request.accesses);
  Result<model::AccessTrace> trace = model::parse_access_trace(accesses ? *accesses : "");
  EXPECT_TRUE(trace);
  double communication_us = report->schedules[0].report.bound_communication_us;
  return {text, trace ? *trace : model::AccessTrace{}, communication_us};
}

// Many tests start from the same program, and a run of it gives the same every time.
inline TracedRun traced_run(const Trial& trial, space::Backend backend, uint32_t schedules = 1) {
  static std::map<std::string, TracedRun> known;
  std::string key = run_key(trial, concat(profile_for(backend), " ", schedules));
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, run_traced(trial, backend, schedules)).first;
  return found->second;
}

// Without what the library says of launches that run as written, which the original does not have.
inline std::string without_fallbacks(const std::string& text) {
  std::vector<std::string> kept;
  for (const std::string& line : split(text, '\n'))
    if (!line.starts_with("cuco::comm: a kernel does not ")) kept.push_back(line);
  return join(kept, "\n");
}

// Text that a rewritten program has, one behind the other.
inline void expect_in_order(const std::string& text, const std::vector<const char*>& fragments) {
  size_t at = 0;
  for (const char* fragment : fragments) {
    size_t found = text.find(fragment, at);
    ASSERT_NE(found, text.npos) << fragment << " is not in\n" << text.substr(at);
    at = found;
  }
}

}  // namespace cuco
