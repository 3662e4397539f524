#include <algorithm>
#include <map>

#include "rewrite/evidence/consume_facts.h"

namespace cuco::rewrite {

namespace {

using model::TracedLaunch;
using Samples = std::vector<ReadSample>;
using Pointer = std::pair<uint32_t, uint32_t>;  // Parameter and field.
using Values = std::vector<std::optional<int64_t>>;

// The dimension of the rule for each pointer that has one at the traced size.
std::map<Pointer, int> ruled_pointers(const std::vector<BlockShape>& shapes) {
  std::map<Pointer, int> ruled;
  for (const BlockShape& shape : shapes)
    for (const BlockUse& use : shape.uses)
      if (use.bytes > 0) ruled.emplace(Pointer(use.parameter, use.field), use.dimension);
  return ruled;
}

// One block along a dimension shows no rule, and when the program runs such a launch waits on its stream.
void drop_single_blocks(Samples& samples, const std::map<Pointer, int>& ruled) {
  std::erase_if(samples, [&](const ReadSample& sample) {
    return std::any_of(ruled.begin(), ruled.end(), [&](const auto& pointer) {
      return sample.launch->grid[static_cast<size_t>(pointer.second)] == 1;
    });
  });
}

std::string obstacle_in(const Samples& own, const Samples& further) {
  if (own.empty() || count_others(launches_of(own), launches_of(further)) < kFurtherMin)
    return "fewer than two launches of other sizes were traced";
  std::vector<const TracedLaunch*> all = launches_of(own), others = launches_of(further);
  all.insert(all.end(), others.begin(), others.end());
  bool same_blocks =
      std::all_of(all.begin(), all.end(), [&](const TracedLaunch* one) { return one->block == all[0]->block; });
  return same_blocks && have_same_arguments(all) ? "" : "at another size it has other arguments or threads";
}

// What all launches touch behind one pointer.
struct Column {
  WaitUse use;  // Its pointer, and whether some launch writes.
  Values blocks, offsets, strides, bytes;
  size_t following = 0;  // Launches with a rule along the pointer's dimension.
};

Column column_of(const Samples& samples, const Pointer& pointer, int dimension) {
  Values none(samples.size());
  Column column{{pointer.first, pointer.second, dimension}, none, none, none, none};
  for (size_t i = 0; i < samples.size(); i++)
    for (const BlockUse& use : samples[i].uses) {
      if (Pointer(use.parameter, use.field) != pointer) continue;
      column.use.writes |= use.writes;
      column.following += use.bytes > 0 && use.dimension == dimension;
      column.blocks[i] = use.blocks, column.offsets[i] = use.offset;
      column.strides[i] = static_cast<int64_t>(use.stride), column.bytes[i] = static_cast<int64_t>(use.bytes);
    }
  return column;
}

Result<WaitUse> explained(const Column& column, const LaunchRelations& relations) {
  if (column.following < column.bytes.size()) return Error{"at another size its blocks do not read by such a rule"};
  std::optional<Term> blocks = relations.explain(column.blocks), offset = relations.explain(column.offsets),
                      stride = relations.explain(column.strides), bytes = relations.explain(column.bytes);
  // An offset that does not come out even would be less than 0, which an offset may be.
  if (!blocks || !offset || !offset->is_whole() || !stride || !bytes)
    return Error{"no product of its launch's numbers gives the bytes that a block reads at all traced sizes"};
  WaitUse use = column.use;
  use.blocks = *blocks, use.offset = *offset, use.stride = *stride, use.bytes = *bytes;
  return use;
}

std::map<Pointer, bool> touched_pointers(const Samples& samples) {
  std::map<Pointer, bool> writes;
  for (const ReadSample& sample : samples)
    for (const BlockUse& use : sample.uses) writes[{use.parameter, use.field}] |= use.writes;
  return writes;
}

}  // namespace

Result<WaitShape> sized_waits(const std::vector<BlockShape>& shapes, Samples own, Samples further) {
  std::map<Pointer, int> ruled = ruled_pointers(shapes);
  drop_single_blocks(own, ruled);
  drop_single_blocks(further, ruled);
  if (std::string obstacle = obstacle_in(own, further); !obstacle.empty()) return Error{obstacle};
  Samples all = std::move(own);
  all.insert(all.end(), further.begin(), further.end());
  LaunchRelations relations = relations_of(launches_of(all), ruled.begin()->second);
  WaitShape shape{constant_extents(relations), all[0].launch->block, other_relations(relations), {}};
  for (const auto& [pointer, writes] : touched_pointers(all)) {
    auto rule = ruled.find(pointer);
    Result<WaitUse> use = rule == ruled.end() ? WaitUse{pointer.first, pointer.second, 0, {1}, {}, {}, {}, writes}
                                              : explained(column_of(all, pointer, rule->second), relations);
    if (!use) return use.error();
    shape.uses.push_back(*use);
  }
  if (shape.uses.size() > kBlockUsesMax) return Error{"at another size it reads behind too many pointers"};
  return shape;
}

WaitShape exactly(const BlockShape& shape) {
  WaitShape result{shape.grid, shape.block, {}, {}};
  for (const model::TracedNumber& number : shape.numbers)
    result.relations.push_back({{number.parameter, number.field}, {number.value}});
  auto term = [](uint64_t value) { return Term{static_cast<int64_t>(value)}; };
  for (const BlockUse& use : shape.uses)
    result.uses.push_back({use.parameter, use.field, use.dimension, term(use.blocks), Term{use.offset},
                           term(use.stride), term(use.bytes), use.writes});
  return result;
}

}  // namespace cuco::rewrite
