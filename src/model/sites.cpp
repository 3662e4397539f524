#include "model/sites.h"

#include <algorithm>

#include "base/text.h"
#include "model/blockers.h"
#include "model/site_shape.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

bool contains(const std::vector<Index>& list, Index value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<Site> collect_calls(const Program& program) {
  std::vector<Site> sites;
  std::vector<SourceRange> ranges;
  for (Index index = 0; index < program.operations.size(); ++index) {
    const Operation& operation = program.operations[index];
    if (operation.kind != OperationKind::Communicate || !operation.communicate) continue;
    auto known = std::find(ranges.begin(), ranges.end(), operation.text);
    if (known == ranges.end()) {
      known = ranges.insert(ranges.end(), operation.text);
      sites.emplace_back();
      sites.back().name = concat("s", sites.size());
    }
    sites[known - ranges.begin()].operations.push_back(index);
  }
  return sites;
}

void read_steps(const Program& program, Site& site) {
  for (Index index = 0; index < program.steps.size(); ++index) {
    const Step& step = program.steps[index];
    if (!contains(site.operations, step.operation)) continue;
    site.in_region |= in_timed_region(program, index);
    for (const Region& region : step.regions) {
      if (reads(region.access) && site.send_buffer == kNone) site.send_buffer = region.buffer;
      if (writes(region.access) && site.recv_buffer == kNone) site.recv_buffer = region.buffer;
    }
  }
}

void link_neighbours(const std::vector<Dependence>& dependences, Site& site) {
  for (Index index = 0; index < dependences.size(); ++index) {
    const Dependence& dependence = dependences[index];
    if (dependence.kind != DependenceKind::ReadAfterWrite) continue;
    if (contains(site.operations, dependence.to)) site.producers.push_back(index);
    if (contains(site.operations, dependence.from)) site.consumers.push_back(index);
  }
}

const CommunicateDetail& detail_of(const Program& program, const Site& site) {
  return *program.operations[site.operations.front()].communicate;
}

bool are_counterparts(const CommunicateDetail& a, const CommunicateDetail& b) {
  bool opposite = (a.collective == Collective::Send && b.collective == Collective::Recv) ||
                  (a.collective == Collective::Recv && b.collective == Collective::Send);
  return opposite && a.communicator == b.communicator;
}

// Sites that may be the other end of a send or receive: those of its own group when there are any.
std::vector<Index> counterparts_of(const Program& program, const std::vector<Site>& sites, const Site& site) {
  std::vector<Index> anywhere;
  std::vector<Index> in_group;
  const CommunicateDetail& detail = detail_of(program, site);
  for (Index index = 0; index < sites.size(); ++index) {
    const CommunicateDetail& other = detail_of(program, sites[index]);
    if (!are_counterparts(detail, other)) continue;
    anywhere.push_back(index);
    if (other.group != kNone && other.group == detail.group) in_group.push_back(index);
  }
  return in_group.empty() ? anywhere : in_group;
}

// A transfer moves to the device at both ends or at neither.
void block_lone_ends(const Program& program, std::vector<Site>& sites) {
  std::vector<bool> blocked;
  for (const Site& site : sites) blocked.push_back(!site.blockers.empty());
  for (Site& site : sites) {
    std::vector<Index> ends = counterparts_of(program, sites, site);
    bool lone = !ends.empty() && std::all_of(ends.begin(), ends.end(), [&](Index end) { return blocked[end]; });
    if (!lone || !site.blockers.empty()) continue;
    std::vector<std::string> names;
    for (Index end : ends) names.push_back(sites[end].name);
    site.blockers.push_back(concat("its other end (", join(names, ", "), ") cannot be device-initiated"));
  }
}

bool is_pairwise(const CommunicateDetail& detail) {
  return detail.collective == Collective::Send || detail.collective == Collective::Recv;
}

// What is staged is cut into pieces, at both ends of a message and in all calls of a group alike.
bool go_together(const CommunicateDetail& a, const CommunicateDetail& b) {
  return (is_pairwise(a) && is_pairwise(b)) || (a.group != kNone && a.group == b.group);
}

void stage_together(const Program& program, std::vector<Site>& sites) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Site& site : sites)
      for (const Site& other : sites) {
        if (!site.staging.empty() || other.staging.empty() || !other.blockers.empty()) continue;
        if (!go_together(detail_of(program, site), detail_of(program, other))) continue;
        site.staging.push_back(concat("its messages are cut like those of ", other.name, ", which is staged"));
        changed = true;
      }
  }
}

}  // namespace

std::vector<Site> find_sites(const Program& program, const std::vector<Dependence>& dependences) {
  std::vector<Site> sites = collect_calls(program);
  for (Site& site : sites) {
    read_steps(program, site);
    link_neighbours(dependences, site);
    site.loop_role = find_loop_role(program, site.operations.front());
    site.group_pattern = find_group_pattern(program, site.operations.front());
    site.blockers = find_blockers(program, site);
    site.staging = find_staging(program, site);
  }
  block_lone_ends(program, sites);
  stage_together(program, sites);
  return sites;
}

}  // namespace cuco::model
