#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "rewrite/slice_facts.h"
#include "rewrite/traced_sends.h"

namespace cuco::rewrite {

namespace {

using model::Footprint;
using model::TracedBlock;
using model::TracedLaunch;
using model::TracedStep;

// What a launch writes of the buffer, and where that begins.
struct Written {
  std::vector<std::pair<const TracedBlock*, const Footprint*>> prints;
  uint64_t begin = UINT64_MAX, end = 0;
};

Written written_by(const TracedLaunch& launch, uint32_t buffer) {
  Written written;
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints) {
      if (!print.written || print.buffer != buffer) continue;
      written.prints.emplace_back(&block, &print);
      written.begin = std::min(written.begin, print.begin);
      written.end = std::max(written.end, print.end());
    }
  return written;
}

bool units_are_apart(const Written& written, size_t dimension, uint64_t unit_bytes) {
  return std::all_of(written.prints.begin(), written.prints.end(), [&](const auto& print) {
    uint64_t begin = written.begin + print.first->index[dimension] * unit_bytes;
    return print.second->begin >= begin && print.second->end() <= begin + unit_bytes;
  });
}

// The slowest dimension whose blocks write runs of bytes one behind the other.
bool find_shape(const TracedLaunch& launch, const Written& written, SliceFacts& facts) {
  for (size_t dimension = 3; dimension-- > 0;) {
    uint64_t units = launch.grid[dimension], bytes = written.end - written.begin;
    if (units < 2 || bytes % units != 0 || !units_are_apart(written, dimension, bytes / units)) continue;
    facts.cut = {static_cast<int>(dimension), 0};
    facts.shape = {bytes / units, launch.grid, launch.block};
    facts.shape.grid[dimension] = 0;
    return true;
  }
  return false;
}

SliceFacts facts_of_launch(const TracedStep& step, const Sent& sent, const std::set<uint64_t>& message_begins) {
  SliceFacts facts;
  facts.launch = step.place;
  facts.kernel = step.launch.kernel;
  Written written = written_by(step.launch, sent.buffer);
  bool elsewhere = std::any_of(step.launch.blocks.begin(), step.launch.blocks.end(),
                               [](const TracedBlock& block) { return block.reaches_elsewhere; });
  if (elsewhere)
    facts.obstacle = "it writes memory that is no buffer of its device";
  else if (!message_begins.contains(written.begin))
    facts.obstacle = "what it writes does not begin with a message";
  else if (!find_shape(step.launch, written, facts))
    facts.obstacle = "its blocks do not write one behind the other along a dimension of its grid";
  return facts;
}

bool feeds(const TracedLaunch& launch, const Sent& sent) {
  return std::any_of(launch.blocks.begin(), launch.blocks.end(), [&](const TracedBlock& block) {
    return std::any_of(block.footprints.begin(), block.footprints.end(),
                       [&](const Footprint& print) { return print.written && sent.holds(print); });
  });
}

void add_facts(std::vector<SliceFacts>& all, SliceFacts facts) {
  auto known =
      std::find_if(all.begin(), all.end(), [&](const SliceFacts& one) { return same_place(one.launch, facts.launch); });
  if (known == all.end()) return all.push_back(std::move(facts));
  if (!facts.obstacle.empty() && known->obstacle.empty()) known->obstacle = facts.obstacle;
  bool alike = known->cut == facts.cut && known->shape == facts.shape;
  if (known->obstacle.empty() && !alike) known->obstacle = "its launches write in different ways";
}

using SentCalls = std::vector<std::pair<size_t, Sent>>;  // By step.

SentCalls calls_at(const std::vector<TracedStep>& steps, const std::string& place) {
  SentCalls calls;
  for (size_t i = 0; i < steps.size(); i++)
    if (!steps[i].is_launch && same_place(steps[i].place, place))
      if (std::optional<Sent> sent = sent_by(steps[i].call)) calls.emplace_back(i, std::move(*sent));
  return calls;
}

void add_producers(const std::vector<TracedStep>& steps, const std::string& place, std::vector<SliceFacts>& all) {
  SentCalls calls = calls_at(steps, place);
  std::map<uint32_t, std::set<uint64_t>> begins;
  for (const auto& [step, sent] : calls) begins[sent.buffer].insert(sent.offsets.begin(), sent.offsets.end());
  for (const auto& [step, sent] : calls)
    for (size_t i = 0; i < step; i++)
      if (steps[i].is_launch && feeds(steps[i].launch, sent))
        add_facts(all, facts_of_launch(steps[i], sent, begins[sent.buffer]));
}

// Grids of one place may differ between rounds and ranks; what all of them have decides.
void take_smaller(const TracedLaunch& launch, std::array<uint32_t, 3>& grid) {
  for (size_t dimension = 0; dimension < grid.size(); dimension++)
    grid[dimension] = std::min(grid[dimension], launch.grid[dimension]);
}

int dimension_for(const std::array<uint32_t, 3>& grid, uint32_t slice_count) {
  int widest = 2;
  for (int dimension = 2; dimension >= 0; dimension--) {
    if (grid[static_cast<size_t>(dimension)] >= slice_count) return dimension;
    if (grid[static_cast<size_t>(dimension)] > grid[static_cast<size_t>(widest)]) widest = dimension;
  }
  return widest;
}

SliceFacts whole_launch(const TracedStep& step) {
  SliceFacts facts;
  facts.launch = step.place;
  facts.kernel = step.launch.kernel;
  facts.shape.grid = step.launch.grid;
  return facts;
}

void cut_evenly(SliceFacts& facts, uint32_t slice_count) {
  facts.cut = {dimension_for(facts.shape.grid, slice_count), 0};
  facts.unit_count = facts.shape.grid[static_cast<size_t>(facts.cut.dimension)];
  facts.slice_count = std::min(slice_count, kSlicesMax);  // Of larger sizes, too; slices without blocks are left out.
  facts.shape = {};
  if (facts.unit_count < 2) facts.obstacle = "it has one block";
}

}  // namespace

std::vector<SliceFacts> feeding_launches(const model::AccessTrace& trace, const std::string& place,
                                         uint32_t slice_count) {
  std::vector<SliceFacts> all;
  for (const std::vector<TracedStep>& steps : trace.ranks)
    for (const auto& [step, sent] : calls_at(steps, place))
      for (size_t i = 0; i < step; i++) {
        if (!steps[i].is_launch || !feeds(steps[i].launch, sent)) continue;
        auto known = std::find_if(all.begin(), all.end(),
                                  [&](const SliceFacts& one) { return same_place(one.launch, steps[i].place); });
        if (known == all.end()) known = all.insert(all.end(), whole_launch(steps[i]));
        take_smaller(steps[i].launch, known->shape.grid);
      }
  for (SliceFacts& facts : all) cut_evenly(facts, slice_count);
  return all;
}

std::vector<SliceFacts> producers_of(const model::AccessTrace& trace, const std::string& place) {
  std::vector<SliceFacts> all;
  for (const std::vector<TracedStep>& steps : trace.ranks) add_producers(steps, place, all);
  return all;
}

}  // namespace cuco::rewrite
