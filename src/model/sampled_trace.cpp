#include <algorithm>
#include <iterator>
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
        block.footprints[i].begin +=
            static_cast<uint64_t>((int64_t{index[dimension]} - first.index[dimension]) * steps[dimension][i]);
    return block;
  }
};

// Blocks that are alike: all of a grid, or those that are last along the same dimensions, which may touch less.
struct Alike {
  std::array<bool, 3> tells_last = {};  // The last along the dimension is not like the others.
  std::array<bool, 3> is_last = {};     // These are the last.

  bool holds(const Extent& index, const Extent& grid) const {
    for (size_t i = 0; i < 3; i++)
      if (tells_last[i] && (index[i] + 1 == grid[i]) != is_last[i]) return false;
    return true;
  }
  Extent first(const Extent& grid) const {
    Extent index = {};
    for (size_t i = 0; i < 3; i++)
      if (is_last[i]) index[i] = grid[i] - 1;
    return index;
  }
  bool is_one_along(size_t dimension, const Extent& grid) const {
    return is_last[dimension] || grid[dimension] == (tells_last[dimension] ? 2 : 1);
  }
};

const TracedBlock* find_block(const TracedLaunch& launch, const Extent& index) {
  auto found = std::find_if(launch.blocks.begin(), launch.blocks.end(),
                            [&](const TracedBlock& block) { return block.index == index; });
  return found == launch.blocks.end() ? nullptr : &*found;
}

// Those of the block next to the first along a dimension, in which there may be but one.
std::optional<std::vector<int64_t>> steps_along(const TracedLaunch& launch, const TracedBlock& first, size_t dimension,
                                                const Alike& alike) {
  std::vector<int64_t> steps(first.footprints.size());
  if (alike.is_one_along(dimension, launch.grid)) return steps;
  Extent next = first.index;
  next[dimension] = 1;
  const TracedBlock* block = find_block(launch, next);
  if (!block || block->footprints.size() != steps.size()) return {};
  for (size_t i = 0; i < steps.size(); i++)
    steps[i] = static_cast<int64_t>(block->footprints[i].begin) - static_cast<int64_t>(first.footprints[i].begin);
  return steps;
}

std::optional<EvenSteps> even_steps(const TracedLaunch& launch, const Alike& alike) {
  const TracedBlock* first = find_block(launch, alike.first(launch.grid));
  if (!first || first->reaches_elsewhere || !first->updated.empty() || !first->pieces.empty()) return {};
  EvenSteps form{*first, {}};
  for (size_t dimension = 0; dimension < 3; dimension++) {
    std::optional<std::vector<int64_t>> steps = steps_along(launch, *first, dimension, alike);
    if (!steps) return {};
    form.steps[dimension] = *steps;
  }
  bool all_fit = std::all_of(launch.blocks.begin(), launch.blocks.end(), [&](const TracedBlock& block) {
    return !alike.holds(block.index, launch.grid) || form.at(block.index) == block;
  });
  return all_fit ? std::optional(form) : std::nullopt;
}

using Forms = std::vector<std::pair<Alike, EvenSteps>>;  // Every block has one.

// With the last along every dimension by themselves.
Forms forms_with_tails(const TracedLaunch& launch) {
  Forms forms;
  for (uint32_t lasts = 0; lasts < 8; lasts++) {
    Alike alike;
    bool exists = true;
    for (size_t i = 0; i < 3; i++) {
      alike.tells_last[i] = launch.grid[i] > 1;
      alike.is_last[i] = (lasts >> i) & 1;
      exists = exists && (alike.tells_last[i] || !alike.is_last[i]);
    }
    if (!exists) continue;
    std::optional<EvenSteps> form = even_steps(launch, alike);
    if (!form) return {};
    forms.emplace_back(alike, std::move(*form));
  }
  return forms;
}

Forms forms_of(const TracedLaunch& launch) {
  if (std::optional<EvenSteps> form = even_steps(launch, {})) return {{Alike{}, std::move(*form)}};
  return forms_with_tails(launch);
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
  Forms forms = has_all_telling(launch) ? forms_of(launch) : Forms();
  std::vector<TracedBlock> all(volume(launch.grid));
  for (uint64_t i = 0; i < all.size(); i++) {
    Extent index = index_of(i, launch.grid);
    auto form =
        std::find_if(forms.begin(), forms.end(), [&](const auto& one) { return one.first.holds(index, launch.grid); });
    if (form != forms.end()) all[i] = form->second.at(index);
    all[i].index = index;
    all[i].reaches_elsewhere = forms.empty();
  }
  for (TracedBlock& ran : launch.blocks)
    if (forms.empty()) all[linear(ran.index, launch.grid)].footprints = std::move(ran.footprints);
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

void add_proof(AccessTrace& trace, AccessTrace proof) {
  trace.is_case = true;
  auto move_all = [](auto& from, auto& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
  };
  move_all(proof.varying, trace.varying);
  move_all(proof.varying_received, trace.varying_received);
  move_all(proof.repeats, trace.further);
  move_all(proof.further, trace.further);
  trace.further.push_back(std::move(proof));
}

}  // namespace cuco::model
