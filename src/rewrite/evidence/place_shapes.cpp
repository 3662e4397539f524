#include "rewrite/evidence/place_shapes.h"

#include <algorithm>
#include <optional>

#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using model::AccessTrace;
using model::TracedLaunch;

struct Sample {
  const TracedLaunch* launch;
  UnitFacts facts;
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
        samples.push_back({&step.launch, unit_facts(step.launch)});
}

// The dimension that launches are cut along; those with one unit of it run whole, so what they touch does not matter.
void drop_single_units(Samples& own, Samples& further) {
  auto first = std::find_if(own.begin(), own.end(), [](const Sample& sample) { return sample.facts.obstacle.empty(); });
  if (first == own.end()) return;
  auto dimension = static_cast<size_t>(first->facts.shape.dimension);
  for (Samples* samples : {&own, &further})
    std::erase_if(*samples, [&](const Sample& sample) { return sample.launch->grid[dimension] == 1; });
}

// One use in all launches; a launch without it says nothing.
struct UseOverLaunches {
  UnitUse use;  // Its pointer and direction.
  std::vector<std::optional<int64_t>> offsets, strides, bytes;
  bool anywhere = false;
};

bool is_same_use(const UnitUse& a, const UnitUse& b) {
  return a.parameter == b.parameter && a.field == b.field && a.writes == b.writes;
}

std::vector<UseOverLaunches> uses_over(const Samples& samples) {
  std::vector<UseOverLaunches> all;
  for (size_t i = 0; i < samples.size(); i++)
    for (const UnitUse& use : samples[i].facts.shape.uses) {
      auto known =
          std::find_if(all.begin(), all.end(), [&](const UseOverLaunches& one) { return is_same_use(one.use, use); });
      if (known == all.end()) {
        std::vector<std::optional<int64_t>> none(samples.size());
        known = all.insert(known, {use, none, none, none});
      }
      known->anywhere = known->anywhere || use.anywhere;
      if (use.anywhere) continue;
      known->offsets[i] = use.offset;
      known->strides[i] = static_cast<int64_t>(use.stride), known->bytes[i] = static_cast<int64_t>(use.bytes);
    }
  return all;
}

// Reads that follow no rule over all launches are somewhere behind their pointer, which no unit reads before.
std::optional<UnitUse> explained(const UseOverLaunches& use, const LaunchRelations& relations) {
  std::optional<Term> offset = relations.explain(use.offsets), stride = relations.explain(use.strides),
                      bytes = relations.explain(use.bytes);
  UnitUse result = use.use;
  if (!use.anywhere && offset && offset->is_whole() && stride && bytes) {
    if (!offset->is_constant() || !stride->is_constant() || !bytes->is_constant())
      result.terms = {true, *offset, *stride, *bytes};
    return result;
  }
  if (result.writes) return std::nullopt;
  return UnitUse{result.parameter, result.field, false, true, 0, 0, 0, {}};
}

void take_relations(UnitShape& shape, const LaunchRelations& relations) {
  shape.grid = constant_extents(relations);
  shape.relations = other_relations(relations);
}

bool can_be_compared(const Samples& samples) {
  const UnitShape& first = samples[0].facts.shape;
  return have_same_arguments(launches_of(samples)) &&
         std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
           return sample.facts.obstacle.empty() && sample.facts.shape.dimension == first.dimension &&
                  sample.facts.shape.block == first.block;
         });
}

// One shape for all launches, whatever their sizes; nothing when there is none.
std::optional<UnitShape> general_shape(const Samples& samples) {
  if (!can_be_compared(samples)) return std::nullopt;
  UnitShape shape = samples[0].facts.shape;
  LaunchRelations relations = relations_of(launches_of(samples), shape.dimension);
  take_relations(shape, relations);
  shape.uses.clear();
  for (const UseOverLaunches& use : uses_over(samples)) {
    std::optional<UnitUse> result = explained(use, relations);
    if (!result) return std::nullopt;
    shape.uses.push_back(*result);
  }
  sort_uses(shape);
  return shape;
}

// The launches of one grid and block, but for the extent that is cut. Numbers that differ between them do not matter.
struct ExactShape {
  UnitShape shape;
  std::vector<const TracedLaunch*> launches;
};

bool is_of(const ExactShape& exact, const Sample& sample) {
  const UnitShape& shape = sample.facts.shape;
  return exact.shape.dimension == shape.dimension && exact.shape.grid == shape.grid && exact.shape.block == shape.block;
}

// False when launches of one shape write in different ways.
bool add_exact(std::vector<ExactShape>& all, const Sample& sample) {
  for (ExactShape& one : all) {
    if (!is_of(one, sample)) continue;
    one.launches.push_back(sample.launch);
    return merge(one.shape, sample.facts.shape);
  }
  all.push_back({sample.facts.shape, {sample.launch}});
  return true;
}

PlaceShapes exact_shapes(const Samples& samples) {
  std::vector<ExactShape> all;
  if (!have_same_arguments(launches_of(samples))) return {"its launches have different arguments"};
  for (const Sample& sample : samples) {
    if (!sample.facts.obstacle.empty()) return {sample.facts.obstacle};
    if (!add_exact(all, sample)) return {"its launches write in different ways"};
  }
  PlaceShapes result;
  for (ExactShape& one : all) {
    take_relations(one.shape, relations_of(one.launches, one.shape.dimension));
    result.shapes.push_back(std::move(one.shape));
  }
  return result;
}

}  // namespace

PlaceShapes shapes_at(const AccessTrace& trace, const std::string& place) {
  Samples own, further;
  add_samples(own, trace, place);
  if (own.empty()) return {"its grid is one block"};
  for (const AccessTrace& repeat : trace.repeats) add_samples(own, repeat, place);
  for (const AccessTrace& other : trace.further) add_samples(further, other, place);
  drop_single_units(own, further);
  Samples all = own;
  all.insert(all.end(), further.begin(), further.end());
  if (count_others(launches_of(own), launches_of(further)) >= kFurtherMin)
    if (std::optional<UnitShape> shape = general_shape(all)) return {"", {*shape}, true};
  return exact_shapes(own);
}

}  // namespace cuco::rewrite
