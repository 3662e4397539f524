#include <algorithm>

#include "base/text.h"
#include "rewrite/passes/pass.h"
#include "rewrite/text/launched_kernel.h"

namespace cuco::rewrite {

namespace {

// Every launch that writes what some site sends, each place once.
std::vector<SliceFacts> feeding_launches_of(const Work& work) {
  std::vector<SliceFacts> all;
  for (Index site : work.sites)
    for (Index index : work.site(site).operations) {
      std::string place = place_of(work, work.operation(index).range);
      for (SliceFacts& facts : feeding_launches(*work.request.accesses, place, work.request.compute_slices)) {
        bool known =
            std::ranges::any_of(all, [&](const SliceFacts& one) { return same_place(one.launch, facts.launch); });
        if (!known) all.push_back(std::move(facts));
      }
    }
  return all;
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
  std::vector<const SliceFacts*> cut;
  std::vector<LaunchCut> cuts;
  std::vector<std::string> reasons;
  for (const SliceFacts& facts : all) {
    const Operation* launch = launch_at(work, facts.launch);
    if (!facts.obstacle.empty()) reasons.push_back(concat(facts.kernel, " runs whole: ", facts.obstacle));
    if (!facts.obstacle.empty() || launch == nullptr) continue;
    cut.push_back(&facts);
    cuts.push_back(
        {launch,
         [&work, launch, &facts](const KernelLaunch& text) { change_launch(work, launch->range.file, text, facts); },
         {facts.cut.dimension}});
  }
  std::vector<std::string> obstacles = cut_launches(work, cuts, cut_kernels);
  for (size_t i = 0; i < cut.size(); i++)
    if (obstacles[i].empty())
      sliced.push_back(*cut[i]);
    else
      reasons.push_back(concat(cut[i]->kernel, " runs whole: it ", obstacles[i]));
  work.notes.insert(work.notes.end(), reasons.begin(), reasons.end());
  if (sliced.empty())
    work.obstacle(call.range, "no kernel that feeds a call can run in slices: ",
                  reasons.empty() ? "the traced run shows none" : join(reasons, "; "));
  return sliced;
}

}  // namespace cuco::rewrite
