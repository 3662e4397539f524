#include <algorithm>
#include <optional>

#include "model/access_trace.h"

namespace cuco::model {

namespace {

using Extent = std::array<uint32_t, 3>;

uint64_t linear(const Extent& index, const Extent& grid) {
  return index[0] + uint64_t{grid[0]} * (index[1] + uint64_t{grid[1]} * index[2]);
}

Extent index_of(uint64_t linear_index, const Extent& grid) {
  return {static_cast<uint32_t>(linear_index % grid[0]), static_cast<uint32_t>(linear_index / grid[0] % grid[1]),
          static_cast<uint32_t>(linear_index / grid[0] / grid[1])};
}

uint64_t volume(const Extent& grid) { return uint64_t{grid[0]} * grid[1] * grid[2]; }

// What each block touches, by how far it stands from the first.
struct EvenSteps {
  TracedBlock first;
  std::array<std::vector<int64_t>, 3> steps = {};  // By dimension and footprint.

  TracedBlock at(const Extent& index) const {
    TracedBlock block = first;
    block.index = index;
    for (size_t i = 0; i < block.footprints.size(); i++)
      for (size_t dimension = 0; dimension < 3; dimension++)
        block.footprints[i].begin += static_cast<uint64_t>(int64_t{index[dimension]} * steps[dimension][i]);
    return block;
  }
};

const TracedBlock* find_block(const TracedLaunch& launch, const Extent& index) {
  auto found = std::find_if(launch.blocks.begin(), launch.blocks.end(),
                            [&](const TracedBlock& block) { return block.index == index; });
  return found == launch.blocks.end() ? nullptr : &*found;
}

// Those of the block next to the first along a dimension, in which there may be but one.
std::optional<std::vector<int64_t>> steps_along(const TracedLaunch& launch, const TracedBlock& first,
                                                size_t dimension) {
  std::vector<int64_t> steps(first.footprints.size());
  if (launch.grid[dimension] == 1) return steps;
  Extent next = {};
  next[dimension] = 1;
  const TracedBlock* block = find_block(launch, next);
  if (!block || block->footprints.size() != steps.size()) return {};
  for (size_t i = 0; i < steps.size(); i++)
    steps[i] = static_cast<int64_t>(block->footprints[i].begin) - static_cast<int64_t>(first.footprints[i].begin);
  return steps;
}

std::optional<EvenSteps> even_steps(const TracedLaunch& launch) {
  const TracedBlock* first = find_block(launch, {0, 0, 0});
  if (!first || first->reaches_elsewhere || !first->updated.empty() || !first->pieces.empty()) return {};
  EvenSteps form{*first, {}};
  for (size_t dimension = 0; dimension < 3; dimension++) {
    std::optional<std::vector<int64_t>> steps = steps_along(launch, *first, dimension);
    if (!steps) return {};
    form.steps[dimension] = *steps;
  }
  bool all_fit = std::all_of(launch.blocks.begin(), launch.blocks.end(),
                             [&](const TracedBlock& block) { return form.at(block.index) == block; });
  return all_fit ? std::optional(form) : std::nullopt;
}

bool has_all_telling(const TracedLaunch& launch) {
  uint64_t count = 1;
  for (uint32_t extent : launch.grid) {
    uint64_t along = 0;
    for (uint32_t i = 0; i < extent; i++) along += is_telling({i, 0, 0}, {extent, 1, 1});
    count *= along;
  }
  auto telling = [&](const TracedBlock& block) { return is_telling(block.index, launch.grid); };
  return static_cast<uint64_t>(std::count_if(launch.blocks.begin(), launch.blocks.end(), telling)) == count;
}

void fill_in(TracedLaunch& launch) {
  if (launch.blocks.size() == volume(launch.grid)) return;
  std::optional<EvenSteps> form = has_all_telling(launch) ? even_steps(launch) : std::nullopt;
  std::vector<TracedBlock> all(volume(launch.grid));
  for (uint64_t i = 0; i < all.size(); i++) {
    Extent index = index_of(i, launch.grid);
    if (form) all[i] = form->at(index);
    all[i].index = index;
    all[i].reaches_elsewhere = !form;
  }
  for (TracedBlock& ran : launch.blocks)
    if (!form) all[linear(ran.index, launch.grid)].footprints = std::move(ran.footprints);
  launch.blocks = std::move(all);
}

}  // namespace

bool is_telling(const std::array<uint32_t, 3>& index, const std::array<uint32_t, 3>& grid) {
  for (size_t i = 0; i < 3; i++)
    if (index[i] > 1 && index[i] != grid[i] / 2 && index[i] + 1 != grid[i]) return false;
  return true;
}

void fill_in(AccessTrace& trace) {
  for (std::vector<TracedStep>& steps : trace.ranks)
    for (TracedStep& step : steps)
      if (step.is_launch) fill_in(step.launch);
}

}  // namespace cuco::model
