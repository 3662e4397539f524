// A program of tests/rewrite and how to rewrite it, for the tests of this folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "frontend/frontend.h"
#include "model/profile.h"
#include "rewrite/rewrite.h"
#include "space/fast_path.h"

namespace cuco {

inline const std::filesystem::path kSource = CUCO_SOURCE_DIR;
inline const std::filesystem::path kFolder = kSource / "tests" / "rewrite";

struct Trial {
  std::filesystem::path program;
  std::vector<std::string> definitions;
  std::vector<std::string> arguments;
  uint32_t ranks = 4;
  uint32_t nodes = 1;
  bool check = false;
};

// Of runs that do the same: a program's text, how it is built and where it runs.
inline std::string run_key(const Trial& trial, const std::string& place) {
  return concat(*read_file(trial.program), "\n", join(trial.definitions, " "), "\n", join(trial.arguments, " "), "\n",
                trial.ranks, " ", trial.nodes, " ", trial.check, " ", place);
}

inline std::string profile_for(space::Backend backend) {
  return backend == space::Backend::Lsa ? "h100x8-nvlink" : "a100-2node-roce";
}

// The fast path with one backend for all sites, then changed; all files of the program, with what it includes.
inline Result<std::vector<rewrite::Source>> rewritten_files(const frontend::ParseRequest& parse, space::Backend backend,
                                                            const std::function<void(space::Plan&)>& change = {}) {
  Result<model::Program> program = frontend::read_program(parse);
  if (!program) return program.error();
  model::CommGraph graph = model::build_comm_graph(*program);
  std::vector<space::SiteFacts> sites = space::all_site_facts(*program, graph);
  Result<model::HardwareProfile> profile = model::load_profile(kSource / "profiles", profile_for(backend));
  if (!profile) return profile.error();
  space::Plan plan = space::fast_path_plan(sites, *profile);
  for (space::SiteChoice& choice : plan.choices)
    if (choice.directive.backend != space::Backend::Host) choice.directive.backend = backend;
  if (change) change(plan);
  std::vector<rewrite::Source> sources;
  for (const model::ProgramFile& file : program->files) sources.push_back({file.path, *read_file(file.path)});
  Result<rewrite::Rewritten> result = rewrite::rewrite({*program, graph, sites, plan, sources});
  if (!result) return result.error();
  return std::move(result->sources);
}

inline Result<std::string> rewritten(const Trial& trial, space::Backend backend,
                                     const std::function<void(space::Plan&)>& change = {}) {
  frontend::ParseRequest parse;
  parse.files = {trial.program.string()};
  parse.flags.definitions = trial.definitions;
  parse.share = kSource;
  Result<std::vector<rewrite::Source>> sources = rewritten_files(parse, backend, change);
  if (!sources) return sources.error();
  return (*sources)[0].text;
}

}  // namespace cuco
