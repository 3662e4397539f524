#include <algorithm>

#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using Grid = std::array<uint32_t, 3>;

bool feeds(const TracedLaunch& launch, const Sent& sent) {
  return std::ranges::any_of(launch.blocks, [&](const TracedBlock& block) {
    return std::ranges::any_of(block.footprints,
                               [&](const Footprint& print) { return print.written && sent.holds(print); });
  });
}

struct Feeder {
  const TracedStep* step;
  Grid grid;
};

// Grids of one place may differ between rounds and ranks; what all of them have decides.
void add_feeder(std::vector<Feeder>& all, const TracedStep& step) {
  auto known = std::ranges::find_if(all, [&](const Feeder& one) { return same_place(one.step->place, step.place); });
  if (known == all.end()) return all.push_back({&step, step.launch.grid});
  for (size_t dimension = 0; dimension < known->grid.size(); dimension++)
    known->grid[dimension] = std::min(known->grid[dimension], step.launch.grid[dimension]);
}

void add_feeders(std::vector<Feeder>& all, const std::vector<TracedStep>& steps, const std::string& place) {
  for (size_t call = 0; call < steps.size(); call++) {
    if (steps[call].is_launch || !same_place(steps[call].place, place)) continue;
    std::optional<Sent> sent = sent_by(steps[call].call);
    for (size_t i = 0; sent && i < call; i++)
      if (steps[i].is_launch && feeds(steps[i].launch, *sent)) add_feeder(all, steps[i]);
  }
}

int dimension_for(const Grid& grid, uint32_t slice_count) {
  int widest = 2;
  for (int dimension = 2; dimension >= 0; dimension--) {
    if (grid[static_cast<size_t>(dimension)] >= slice_count) return dimension;
    if (grid[static_cast<size_t>(dimension)] > grid[static_cast<size_t>(widest)]) widest = dimension;
  }
  return widest;
}

}  // namespace

std::vector<SliceFacts> feeding_launches(const AccessTrace& trace, const std::string& place, uint32_t slice_count) {
  std::vector<Feeder> feeders;
  for (const std::vector<TracedStep>& steps : trace.ranks) add_feeders(feeders, steps, place);
  std::vector<SliceFacts> all;
  for (const Feeder& feeder : feeders) {
    SliceFacts facts;
    facts.launch = feeder.step->place;
    facts.kernel = feeder.step->launch.kernel;
    facts.cut = {dimension_for(feeder.grid, slice_count), 0};
    facts.unit_count = feeder.grid[static_cast<size_t>(facts.cut.dimension)];
    facts.slice_count = std::min(slice_count, kSlicesMax);  // Of larger sizes, too; slices without blocks are left out.
    if (facts.unit_count < 2) facts.obstacle = "it has one block";
    all.push_back(std::move(facts));
  }
  return all;
}

}  // namespace cuco::rewrite
