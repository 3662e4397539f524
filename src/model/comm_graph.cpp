#include "model/comm_graph.h"

#include <algorithm>
#include <set>

#include "model/blockers.h"
#include "model/dependences.h"
#include "model/enum_names.h"
#include "model/ordering.h"
#include "model/overlap.h"
#include "model/races.h"
#include "model/sites.h"
#include "model/timed_region.h"

namespace cuco::model {

namespace {

std::vector<Index> find_window_buffers(const Program& program, const std::vector<Site>& sites) {
  std::set<Index> windows;
  for (const Site& site : sites) {
    if (!site.blockers.empty() || !site.staging.empty()) continue;
    std::vector<Index> buffers = site_buffers(program, site);
    windows.insert(buffers.begin(), buffers.end());
  }
  return {windows.begin(), windows.end()};
}

}  // namespace

CommGraph build_comm_graph(Program& program) {
  // Sites and overlaps ask whether they lie in the region, and outputs are what leaves it.
  program.timed_region = find_timed_region(program);
  program.outputs = find_outputs(program);

  std::vector<Index> exchanges = find_exchanges(program);
  std::vector<StepDependence> step_dependences = find_step_dependences(program, exchanges);

  CommGraph graph;
  graph.dependences = summarise(program, step_dependences, StepOrder(program));
  graph.sites = find_sites(program, graph.dependences);
  find_overlaps(program, exchanges, step_dependences, graph.sites);
  graph.window_buffers = find_window_buffers(program, graph.sites);

  std::vector<Diagnostic> races = describe_races(program, graph.dependences);
  program.diagnostics.insert(program.diagnostics.end(), races.begin(), races.end());
  return graph;
}

std::string_view name_of(DependenceKind kind) {
  static constexpr std::array<std::string_view, 3> kNames = {"read_after_write", "write_after_read",
                                                             "write_after_write"};
  return name_in<DependenceKind::WriteAfterWrite>(kNames, kind);
}

std::string_view name_of(LoopRole role) {
  static constexpr std::array<std::string_view, 5> kNames = {"none", "peers", "ranks", "chunks", "iterations"};
  return name_in<LoopRole::Iterations>(kNames, role);
}

std::string_view name_of(GroupPattern pattern) {
  static constexpr std::array<std::string_view, 7> kNames = {"none",    "ring",     "all_to_all", "gather",
                                                             "scatter", "pairwise", "mixed"};
  return name_in<GroupPattern::Mixed>(kNames, pattern);
}

}  // namespace cuco::model
