#include "rewrite/evidence/unit_forms.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "footprint/block_accesses.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using footprint::AccessColumn;
using footprint::have_same_arguments;
using footprint::unit_accesses;
using footprint::UnitAccesses;

struct Sample {
  const TracedLaunch* launch;
  UnitAccesses units;
};
using Samples = std::vector<Sample>;

// A launch of one block says nothing about others of its shape.
bool says_nothing(const TracedLaunch& launch) {
  return std::ranges::all_of(launch.grid, [](uint32_t extent) { return extent == 1; });
}

void add_samples(Samples& samples, const AccessTrace& trace, const std::string& place) {
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (const TracedStep& step : steps)
      if (step.is_launch && same_place(step.place, place) && !says_nothing(step.launch))
        samples.push_back({&step.launch, unit_accesses(step.launch)});
}

// The dimension that launches are cut along; those with one unit of it run whole, so what they touch does not matter.
void drop_single_units(Samples& own, Samples& further) {
  auto first = std::ranges::find_if(own, [](const Sample& sample) { return sample.units.obstacle.empty(); });
  if (first == own.end()) return;
  auto dimension = static_cast<size_t>(first->units.dimension);
  for (Samples* samples : {&own, &further})
    std::erase_if(*samples, [&](const Sample& sample) { return sample.launch->grid[dimension] == 1; });
}

// One for each pointer and direction, in their order. Reads that follow no rule over all launches are somewhere behind
// their pointer, which no unit reads before.
std::vector<AccessColumn> columns_of(const Samples& samples) {
  std::map<std::tuple<uint32_t, uint32_t, bool>, AccessColumn> all;
  for (size_t i = 0; i < samples.size(); i++)
    for (const Access& access : samples[i].units.accesses) {
      AccessColumn& column = all[{access.parameter, access.field, access.writes}];
      column.values.resize(samples.size());
      column.values[i] = access;
      if (!access.writes) column.otherwise = exactly(anywhere(access));
    }
  std::vector<AccessColumn> columns;
  for (auto& [key, column] : all) columns.push_back(std::move(column));
  return columns;
}

bool are_cut_alike(const Samples& samples) {
  return can_be_compared(launches_of(samples)) && std::ranges::all_of(samples, [&](const Sample& sample) {
           return sample.units.obstacle.empty() && sample.units.dimension == samples[0].units.dimension;
         });
}

// One form for all launches, whatever their sizes; nothing when there is none.
std::optional<UnitForm> general_form(const Samples& samples) {
  if (!are_cut_alike(samples)) return std::nullopt;
  int dimension = samples[0].units.dimension;
  std::optional<AccessForm> form = form_over(launches_of(samples), dimension, columns_of(samples));
  return form ? std::optional(UnitForm{dimension, *std::move(form)}) : std::nullopt;
}

// The launches of one grid and block, but for the extent that is cut. Numbers that differ between them do not matter.
struct ExactShape {
  int dimension;
  Accesses accesses;
  std::vector<const TracedLaunch*> launches;

  bool is_of(const Sample& sample) const {
    std::array<uint32_t, 3> own = launches[0]->grid, other = sample.launch->grid;
    own[static_cast<size_t>(dimension)] = other[static_cast<size_t>(dimension)];
    return dimension == sample.units.dimension && own == other && launches[0]->block == sample.launch->block;
  }
  // What either touches. False when they write in different ways.
  bool add(const Sample& sample) {
    launches.push_back(sample.launch);
    for (const Access& access : sample.units.accesses) {
      auto known = std::ranges::find_if(
          accesses, [&](const Access& one) { return one.is_behind(access) && one.writes == access.writes; });
      if (known == accesses.end()) {
        accesses.push_back(access);
        continue;
      }
      if (*known == access) continue;
      if (access.writes) return false;
      *known = anywhere(access);
    }
    footprint::sort_accesses(accesses);
    return true;
  }
};

UnitForms exact_forms(const Samples& samples) {
  std::vector<ExactShape> all;
  if (!have_same_arguments(launches_of(samples))) return {"its launches have different arguments"};
  for (const Sample& sample : samples) {
    if (!sample.units.obstacle.empty()) return {sample.units.obstacle};
    auto known = std::ranges::find_if(all, [&](const ExactShape& one) { return one.is_of(sample); });
    if (known == all.end())
      all.push_back({sample.units.dimension, sample.units.accesses, {sample.launch}});
    else if (!known->add(sample))
      return {"its launches write in different ways"};
  }
  UnitForms result;
  for (const ExactShape& one : all) {
    LaunchRelations relations = footprint::relations_of(one.launches, one.dimension);
    UnitForm form{one.dimension, {relations.guard(one.launches[0]->block), {}}};
    for (const Access& access : one.accesses) form.form.accesses.push_back(exactly(access));
    result.forms.push_back(std::move(form));
  }
  return result;
}

}  // namespace

UnitForms unit_forms(const AccessTrace& trace, const std::string& place) {
  Samples own, further;
  for_each_run(trace, [&](const AccessTrace& run, bool is_own) { add_samples(is_own ? own : further, run, place); });
  if (own.empty()) return {"its grid is one block"};
  drop_single_units(own, further);
  Samples all = own;
  all.insert(all.end(), further.begin(), further.end());
  if (count_others(launches_of(own), launches_of(further)) >= footprint::kFurtherMin)
    if (std::optional<UnitForm> form = general_form(all)) return {"", {*form}};
  UnitForms exact = exact_forms(own);
  if (trace.is_case && exact.obstacle.empty())
    return {"no product of its launch's numbers gives what its blocks touch at all traced sizes"};
  return exact;
}

}  // namespace cuco::rewrite
