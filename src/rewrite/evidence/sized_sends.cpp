#include <algorithm>

#include "rewrite/evidence/send_facts.h"
#include "rewrite/evidence/traced_sends.h"

namespace cuco::rewrite {

namespace {

using model::TracedLaunch;

// Bytes that no block or several write are only bounded, which one size says nothing about at another.
bool can_be_compared(const std::vector<SendSample>& all) {
  const SendSample& first = all.front();
  auto same_pointer = [](const WrittenTiles& a, const WrittenTiles& b) {
    return a.parameter == b.parameter && a.field == b.field && a.filled > 0 && b.filled > 0;
  };
  return std::all_of(all.begin(), all.end(), [&](const SendSample& one) {
    return one.launch->block == first.launch->block &&
           std::equal(one.tiles.begin(), one.tiles.end(), first.tiles.begin(), first.tiles.end(), same_pointer);
  });
}

void split_runs(std::vector<SendSample>& all, size_t which) {
  auto has_pieces = [&](const SendSample& one) { return one.tiles[which].count > 1; };
  auto like = std::find_if(all.begin(), all.end(), has_pieces);
  if (like == all.end()) return;
  uint64_t piece_bytes = like->tiles[which].bytes;
  for (SendSample& one : all) {
    WrittenTiles& tiles = one.tiles[which];
    split_run(tiles.bytes, tiles.stride, tiles.count, piece_bytes);
  }
}

// The terms of one form over all launches, as long as there are any.
class Explanation {
 public:
  Explanation(const LaunchRelations& relations, const std::vector<SendSample>& all, size_t which)
      : relations_(relations), all_(all), which_(which) {}

  // 0 where no launch has a value.
  template <typename Value>
  Term of(Value value) {
    std::vector<std::optional<int64_t>> values;
    for (const SendSample& one : all_) values.push_back(value(*one.launch, one.tiles[which_]));
    if (std::none_of(values.begin(), values.end(), [](const auto& one) { return one.has_value(); })) return {};
    std::optional<Term> term = relations_.explain(values);
    holds_ = holds_ && term;
    return term.value_or(Term{});
  }
  bool holds() const { return holds_; }

 private:
  const LaunchRelations& relations_;
  const std::vector<SendSample>& all_;
  size_t which_;
  bool holds_ = true;
};

// A step along one block and the distance of one piece mean nothing.
std::optional<SizedTiles> explained(const LaunchRelations& relations, const std::vector<SendSample>& all,
                                    size_t which) {
  using Value = std::optional<int64_t>;
  using Tiles = WrittenTiles;
  Explanation terms(relations, all, which);
  SizedTiles tiles{all[0].tiles[which].parameter, all[0].tiles[which].field};
  tiles.offset = terms.of([](const TracedLaunch&, const Tiles& one) -> Value { return one.offset; });
  for (size_t i = 0; i < 3; i++)
    tiles.steps[i] = terms.of([i](const TracedLaunch& launch, const Tiles& one) {
      return launch.grid[i] > 1 ? Value(one.steps[i]) : std::nullopt;
    });
  tiles.bytes = terms.of([](const TracedLaunch&, const Tiles& one) { return Value(one.bytes); });
  tiles.stride =
      terms.of([](const TracedLaunch&, const Tiles& one) { return one.count > 1 ? Value(one.stride) : std::nullopt; });
  tiles.count = terms.of([](const TracedLaunch&, const Tiles& one) { return Value(one.count); });
  tiles.filled = terms.of([](const TracedLaunch&, const Tiles& one) { return Value(one.filled); });
  if (tiles.stride == Term{}) tiles.stride = tiles.bytes;
  bool holds = terms.holds() && tiles.offset.is_whole();
  return holds ? std::optional(tiles) : std::nullopt;
}

int slowest_dimension(const TracedLaunch& launch) { return launch.grid[2] > 1 ? 2 : launch.grid[1] > 1 ? 1 : 0; }

}  // namespace

std::optional<SizedShape> sized_shape(const std::vector<SendSample>& own, const std::vector<SendSample>& further) {
  std::vector<SendSample> all = own;
  all.insert(all.end(), further.begin(), further.end());
  if (own.empty() || count_others(launches_of(own), launches_of(further)) < kFurtherMin || !can_be_compared(all))
    return std::nullopt;
  std::vector<const TracedLaunch*> launches = launches_of(all);
  if (!have_same_arguments(launches)) return std::nullopt;
  LaunchRelations relations = relations_of(launches, slowest_dimension(*launches[0]));
  SizedShape shape{constant_extents(relations), launches[0]->block, other_relations(relations), {}};
  for (size_t which = 0; which < own[0].tiles.size(); which++) {
    split_runs(all, which);
    std::optional<SizedTiles> tiles = explained(relations, all, which);
    if (!tiles) return std::nullopt;
    shape.tiles.push_back(std::move(*tiles));
  }
  return shape;
}

}  // namespace cuco::rewrite
