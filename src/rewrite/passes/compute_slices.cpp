#include <algorithm>
#include <map>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/launched_kernel.h"

namespace cuco::rewrite {

namespace {

using model::Index;
using model::Operation;

// Every launch that writes what some site sends, each place once.
std::vector<SliceFacts> feeding_launches_of(const Work& work) {
  std::vector<SliceFacts> all;
  for (Index site : work.sites)
    for (Index index : work.request.graph.sites[site].operations) {
      std::string place = place_of(work, work.program().operations[index].range);
      for (SliceFacts& facts : feeding_launches(*work.request.accesses, place, work.request.compute_slices)) {
        bool known = std::any_of(all.begin(), all.end(),
                                 [&](const SliceFacts& one) { return same_place(one.launch, facts.launch); });
        if (!known) all.push_back(std::move(facts));
      }
    }
  return all;
}

struct Feeder {
  const Operation* launch;
  const SliceFacts* facts;
};

// Launches of one kernel are cut together: it takes its blocks once.
std::vector<std::vector<Feeder>> by_kernel(const Work& work, const std::vector<SliceFacts>& all) {
  std::map<std::pair<Index, uint32_t>, std::vector<Feeder>> kernels;
  for (const SliceFacts& facts : all) {
    const Operation* launch = launch_at(work, facts.launch);
    if (!facts.obstacle.empty() || launch == nullptr) continue;
    const model::SourceRange& range = work.program().kernels[launch->launch->kernel].range;
    kernels[{range.file, range.begin_byte}].push_back({launch, &facts});
  }
  std::vector<std::vector<Feeder>> feeders;
  for (auto& [place, launches] : kernels) feeders.push_back(std::move(launches));
  return feeders;
}

std::string cut_feeders(Work& work, const std::vector<Feeder>& feeders, KernelNames& cut_kernels) {
  std::vector<LaunchCut> cuts;
  for (const Feeder& one : feeders)
    cuts.push_back(
        {one.launch,
         [&work, one](const KernelLaunch& text) { change_launch(work, one.launch->range.file, text, *one.facts); },
         {one.facts->cut.dimension}});
  return cut_launches(work, work.program().kernels[feeders.front().launch->launch->kernel], cuts, cut_kernels);
}

}  // namespace

std::vector<SliceFacts> slice_compute(Work& work) {
  const Operation& call = first_call(work, work.sites[0]);
  if (!work.request.accesses) {
    work.obstacle(call.range, "slices need a traced run of the program");
    return {};
  }
  std::vector<SliceFacts> sliced;
  KernelNames cut_kernels;
  std::vector<SliceFacts> all = feeding_launches_of(work);
  std::vector<std::string> reasons;
  for (const SliceFacts& facts : all)
    if (!facts.obstacle.empty()) reasons.push_back(concat(facts.kernel, " runs whole: ", facts.obstacle));
  for (const std::vector<Feeder>& feeders : by_kernel(work, all)) {
    std::string obstacle = cut_feeders(work, feeders, cut_kernels);
    if (!obstacle.empty()) reasons.push_back(concat(feeders.front().facts->kernel, " runs whole: it ", obstacle));
    for (const Feeder& one : feeders)
      if (obstacle.empty()) sliced.push_back(*one.facts);
  }
  work.notes.insert(work.notes.end(), reasons.begin(), reasons.end());
  if (sliced.empty())
    work.obstacle(call.range, concat("no kernel that feeds a call can run in slices: ",
                                     reasons.empty() ? "the traced run shows none" : join(reasons, "; ")));
  return sliced;
}

}  // namespace cuco::rewrite
