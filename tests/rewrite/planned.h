// Programs rewritten by a plan that a test states, and what they print on the virtual cluster.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "base/scratch_folder.h"
#include "base/text.h"
#include "testing/remembered_builds.h"
#include "trial.h"
#include "vcluster/simulate.h"

namespace cuco {

// A program as the rewriter wants it.
struct Analysed {
  model::Program program;
  model::CommGraph graph;
  std::vector<space::SiteFacts> sites;
  std::vector<rewrite::Source> sources;
};

inline Result<Analysed> analysed(const std::filesystem::path& file) {
  frontend::ParseRequest parse;
  parse.files = {file.string()};
  parse.flags.include_folders = {kFolder.string(), (kFolder / "golden").string()};
  parse.share = kSource;
  Result<model::Program> program = frontend::read_program(parse);
  if (!program) return program.error();
  Analysed all{std::move(*program), {}, {}, {}};
  all.graph = model::build_comm_graph(all.program);
  all.sites = space::all_site_facts(all.program, all.graph);
  for (const model::ProgramFile& source : all.program.files)
    all.sources.push_back({source.path, *read_file(source.path)});
  return all;
}

// `directive` for every site.
inline space::Plan uniform_plan(const Analysed& all, const std::string& directive, const space::Schedule& schedule) {
  space::Plan plan;
  plan.schedule = schedule;
  for (const space::SiteFacts& site : all.sites)
    plan.choices.push_back({site.name, *space::parse_directive(directive)});
  return plan;
}

inline Result<rewrite::Rewritten> rewritten_by(const Analysed& all, const space::Plan& plan) {
  return rewrite::rewrite({all.program, all.graph, all.sites, plan, all.sources});
}

// What the program printed, sorted, because ranks print in the order in which they come; then everything against it.
inline std::string run_and_print(const Trial& trial, const std::string& profile) {
  ScratchFolder scratch = ScratchFolder::make("cuco-planned").value();
  vcluster::SimulationRequest request;
  request.build.files = {trial.program.string()};
  request.build.flags.include_folders = {kFolder.string(), (kFolder / "golden").string()};
  request.build.flags.definitions = trial.definitions;
  request.build.share = kSource;
  request.build.folder = scratch.path();
  if (trial.check) request.build.check_plugin = *vcluster::default_check_plugin();
  request.arguments = trial.arguments;
  request.rank_count = trial.ranks;
  request.node_count = trial.nodes;
  request.profile = kSource / "profiles" / (profile + ".toml");
  request.seed = trial.check ? 1 : 0;
  request.runner = *vcluster::default_runner();
  testing::RememberingProcesses processes;
  Result<vcluster::SimulationReport> report = vcluster::simulate(request, testing::lower_once, processes);
  if (!report) return report.error().message;
  std::vector<std::string> lines = split(report->schedules[0].output, '\n');
  std::sort(lines.begin(), lines.end());
  std::string text = concat(join(lines, "\n"), "\n", report->schedules[0].report.verdict);
  for (const vcluster::RunFinding& finding : report->schedules[0].report.findings)
    text += concat("\n", finding.kind, ": ", finding.text);
  return text;
}

// The same, of a run made once for all tests that ask for it.
inline std::string printed_by(const Trial& trial, const std::string& profile) {
  static std::map<std::string, std::string> known;
  std::string key = run_key(trial, profile);
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, run_and_print(trial, profile)).first;
  return found->second;
}

// What the rewritten text prints under the checkers.
inline std::string printed_by_text(Trial trial, const std::string& text, const std::string& profile) {
  ScratchFolder scratch = ScratchFolder::make("cuco-planned-text").value();
  trial.program = scratch.path() / trial.program.filename();
  if (!write_file(trial.program, text)) return "cannot write the program";
  trial.check = true;
  return printed_by(trial, profile);
}

}  // namespace cuco
