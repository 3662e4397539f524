#include <algorithm>

#include "base/text.h"
#include "rewrite/pass.h"

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

// Launches of one kernel are cut together: it takes its blocks once.
std::vector<std::vector<LaunchCut>> by_kernel(const Work& work, const std::vector<SliceFacts>& all) {
  std::vector<std::vector<LaunchCut>> kernels;
  for (const SliceFacts& facts : all) {
    const Operation* launch = launch_at(work, facts);
    if (!facts.obstacle.empty() || launch == nullptr) continue;
    auto begin = [&](const Operation& one) {
      const model::SourceRange& range = work.program().kernels[one.launch->kernel].range;
      return std::pair(range.file, range.begin_byte);
    };
    auto same = std::find_if(kernels.begin(), kernels.end(), [&](const std::vector<LaunchCut>& cuts) {
      return begin(*cuts.front().launch) == begin(*launch);
    });
    if (same == kernels.end())
      kernels.push_back({{launch, &facts}});
    else
      same->push_back({launch, &facts});
  }
  return kernels;
}

}  // namespace

void slice_compute(Work& work) {
  const Operation& call = work.program().operations[work.request.graph.sites[work.sites[0]].operations[0]];
  if (!work.request.accesses) return work.obstacle(call.range, "slices need a traced run of the program");
  std::vector<SliceFacts> all = feeding_launches_of(work);
  std::vector<std::string> reasons;
  for (const SliceFacts& facts : all)
    if (!facts.obstacle.empty()) reasons.push_back(concat(facts.kernel, " runs whole: ", facts.obstacle));
  for (const std::vector<LaunchCut>& cuts : by_kernel(work, all)) {
    std::string obstacle = cut_launches(work, cuts);
    if (!obstacle.empty()) reasons.push_back(concat(cuts.front().facts->kernel, " runs whole: it ", obstacle));
    for (const LaunchCut& one : cuts)
      if (obstacle.empty()) work.plain_slices.push_back(*one.facts);
  }
  work.notes.insert(work.notes.end(), reasons.begin(), reasons.end());
  if (work.plain_slices.empty())
    work.obstacle(call.range, concat("no kernel that feeds a call can run in slices: ",
                                     reasons.empty() ? "the traced run shows none" : join(reasons, "; ")));
}

}  // namespace cuco::rewrite
