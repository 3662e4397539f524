#include "rewrite/evidence/unit_forms.h"

#include <algorithm>
#include <optional>

#include "footprint/block_accesses.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using footprint::Access;
using footprint::Accesses;
using footprint::AccessForm;
using footprint::AccessTerms;
using footprint::can_be_compared;
using footprint::count_others;
using footprint::have_same_arguments;
using footprint::launches_of;
using footprint::LaunchRelations;
using footprint::unit_accesses;
using footprint::UnitAccesses;
using model::AccessTrace;
using model::TracedLaunch;

struct Sample {
  const TracedLaunch* launch;
  UnitAccesses units;
};
using Samples = std::vector<Sample>;

// A launch of one block says nothing about others of its shape.
bool says_nothing(const TracedLaunch& launch) {
  return std::all_of(launch.grid.begin(), launch.grid.end(), [](uint32_t extent) { return extent == 1; });
}

void add_samples(Samples& samples, const AccessTrace& trace, const std::string& place) {
  for (const std::vector<model::TracedStep>& steps : trace.ranks)
    for (const model::TracedStep& step : steps)
      if (step.is_launch && same_place(step.place, place) && !says_nothing(step.launch))
        samples.push_back({&step.launch, unit_accesses(step.launch)});
}

// The dimension that launches are cut along; those with one unit of it run whole, so what they touch does not matter.
void drop_single_units(Samples& own, Samples& further) {
  auto first = std::find_if(own.begin(), own.end(), [](const Sample& sample) { return sample.units.obstacle.empty(); });
  if (first == own.end()) return;
  auto dimension = static_cast<size_t>(first->units.dimension);
  for (Samples* samples : {&own, &further})
    std::erase_if(*samples, [&](const Sample& sample) { return sample.launch->grid[dimension] == 1; });
}

bool is_same_use(const Access& a, const Access& b) { return a.is_behind(b) && a.writes == b.writes; }

// One access in all launches; a launch without it says nothing.
using Column = std::vector<std::optional<Access>>;

std::vector<Column> columns_of(const Samples& samples) {
  std::vector<std::pair<Access, Column>> all;
  for (size_t i = 0; i < samples.size(); i++)
    for (const Access& access : samples[i].units.accesses) {
      auto known =
          std::find_if(all.begin(), all.end(), [&](const auto& one) { return is_same_use(one.first, access); });
      if (known == all.end()) known = all.insert(known, {access, Column(samples.size())});
      known->second[i] = access;
    }
  std::vector<Column> columns;
  for (auto& [access, column] : all) columns.push_back(std::move(column));
  return columns;
}

// Reads that follow no rule over all launches are somewhere behind their pointer, which no unit reads before.
std::optional<AccessTerms> general_access(const Column& column, const Samples& samples,
                                          const LaunchRelations& relations) {
  bool has_rule = std::all_of(column.begin(), column.end(), [](const auto& one) { return !one || one->has_rule(); });
  if (has_rule)
    if (std::optional<AccessTerms> access = explained(relations, launches_of(samples), column)) return access;
  const Access& first = **std::find_if(column.begin(), column.end(), [](const auto& one) { return one.has_value(); });
  return first.writes ? std::nullopt : std::optional(exactly(anywhere(first)));
}

bool are_cut_alike(const Samples& samples) {
  return can_be_compared(launches_of(samples)) &&
         std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
           return sample.units.obstacle.empty() && sample.units.dimension == samples[0].units.dimension;
         });
}

void sort_accesses(std::vector<AccessTerms>& accesses) {
  std::sort(accesses.begin(), accesses.end(), [](const AccessTerms& a, const AccessTerms& b) {
    return std::tie(a.parameter, a.field, a.writes) < std::tie(b.parameter, b.field, b.writes);
  });
}

// One form for all launches, whatever their sizes; nothing when there is none.
std::optional<UnitForm> general_form(const Samples& samples) {
  if (!are_cut_alike(samples)) return std::nullopt;
  int dimension = samples[0].units.dimension;
  LaunchRelations relations = footprint::relations_of(launches_of(samples), dimension);
  AccessForm form{relations.guard(samples[0].launch->block), {}, true};
  for (const Column& column : columns_of(samples)) {
    std::optional<AccessTerms> access = general_access(column, samples, relations);
    if (!access) return std::nullopt;
    form.accesses.push_back(*access);
  }
  sort_accesses(form.accesses);
  return UnitForm{dimension, std::move(form)};
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
      auto known =
          std::find_if(accesses.begin(), accesses.end(), [&](const Access& one) { return is_same_use(one, access); });
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
    auto known = std::find_if(all.begin(), all.end(), [&](const ExactShape& one) { return one.is_of(sample); });
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
  add_samples(own, trace, place);
  if (own.empty()) return {"its grid is one block"};
  for (const AccessTrace& repeat : trace.repeats) add_samples(own, repeat, place);
  for (const AccessTrace& other : trace.further) add_samples(further, other, place);
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
