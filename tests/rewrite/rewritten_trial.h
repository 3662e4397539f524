// The text that the rewriter makes of a program of tests/rewrite.
#pragma once

#include "traced_run.h"

namespace cuco {

// All sites alike; with compute in slices the calls stay on the host.
struct Wish {
  space::Directive directive;
  space::Schedule schedule = {};
  uint32_t compute_slices = 1;
};

using PlanFor = std::function<space::Plan(const std::vector<space::SiteFacts>&)>;

inline Result<std::string> rewritten(const Trial& trial, const model::AccessTrace* trace, const PlanFor& plan_for,
                                     uint32_t compute_slices = 1) {
  frontend::ParseRequest parse;
  parse.files = {trial.program.string()};
  parse.flags.include_folders = {kFolder.string()};
  parse.flags.definitions = trial.definitions;
  parse.share = kSource;
  Result<model::Program> program = frontend::read_program(parse);
  if (!program) return program.error();
  model::CommGraph graph = model::build_comm_graph(*program);
  std::vector<space::SiteFacts> sites = space::all_site_facts(*program, graph);
  space::Plan plan = plan_for(sites);
  std::vector<rewrite::Source> sources;
  for (const model::ProgramFile& file : program->files) sources.push_back({file.path, *read_file(file.path)});
  rewrite::Request request{*program, graph, sites, plan, sources};
  request.accesses = trace;
  request.compute_slices = compute_slices;
  if (compute_slices > 1) request.stage = rewrite::Stage::Windows;
  Result<rewrite::Rewritten> result = rewrite::rewrite(request);
  if (!result) return result.error();
  return result->sources[0].text;
}

inline Result<std::string> rewritten(const Trial& trial, const Wish& wish, const model::AccessTrace* trace) {
  auto plan_for = [&](const std::vector<space::SiteFacts>& sites) {
    space::Plan plan{{}, wish.schedule};
    for (const space::SiteFacts& site : sites) plan.choices.push_back({site.name, wish.directive});
    return plan;
  };
  return rewritten(trial, trace, plan_for, wish.compute_slices);
}

// The trial's program with one text in place of another, as a file of the folder.
inline Trial changed(Trial trial, const std::filesystem::path& folder, const std::string& from, const std::string& to) {
  std::string text = *read_file(trial.program);
  EXPECT_NE(text.find(from), text.npos) << from;
  trial.program = folder / "changed.cu";
  text = replace_all(replace_all(std::move(text), from, to), "support.h", (kFolder / "support.h").string());
  EXPECT_TRUE(write_file(trial.program, text));
  return trial;
}

}  // namespace cuco
