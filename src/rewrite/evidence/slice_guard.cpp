#include <algorithm>
#include <map>

#include "rewrite/evidence/slice_facts.h"
#include "rewrite/evidence/traced_sends.h"

namespace cuco::rewrite {

namespace {

using model::AccessTrace;
using model::TracedLaunch;
using model::TracedNumber;
using model::TracedStep;

// A launch that is cut and the size of the messages that follow it.
struct Pair {
  TracedLaunch launch;  // Without its blocks.
  uint64_t message_bytes;
  bool is_cut;  // As in the first run.
  const TracedLaunch* traced;
  const model::TracedCall* call;

  bool is_like(const Pair& other) const {
    return launch == other.launch && message_bytes == other.message_bytes && is_cut == other.is_cut;
  }
};

TracedLaunch without_blocks(const TracedLaunch& launch) {
  return {launch.kernel, launch.grid, launch.block, {}, {}, launch.numbers};
}

// The calls of one rank whose stream had the launch last.
void add_pairs(std::vector<Pair>& pairs, const std::vector<TracedStep>& steps, const std::string& call,
               const SliceFacts& facts) {
  std::map<uint32_t, const TracedStep*> last;  // By stream.
  for (const TracedStep& step : steps) {
    if (step.is_launch) last[step.stream] = &step;
    const TracedStep* before = last[step.stream];
    if (step.is_launch || !before || !same_place(before->place, facts.launch)) continue;
    if (same_place(step.place, call) && sent_by(step.call))
      pairs.push_back({without_blocks(before->launch), guarded_bytes(step.call),
                       holds_for(facts.cut, before->launch, step.call), &before->launch, &step.call});
  }
}

using Field = std::pair<uint32_t, uint32_t>;

// Numbers of which some launch of another rank has another value where both ranks launch as often.
std::vector<Field> numbers_of_ranks(const std::vector<std::vector<Pair>>& ranks) {
  std::vector<Field> fields;
  for (const std::vector<Pair>& rank : ranks)
    for (size_t i = 0; i < std::min(rank.size(), ranks[0].size()); i++) {
      const std::vector<TracedNumber>&own = rank[i].launch.numbers, &first = ranks[0][i].launch.numbers;
      for (size_t k = 0; k < std::min(own.size(), first.size()); k++)
        if (own[k] != first[k]) fields.emplace_back(own[k].parameter, own[k].field);
    }
  return fields;
}

struct Pairs {
  std::vector<Pair> all;
  std::vector<Field> of_ranks;
};

void add_run(Pairs& pairs, const AccessTrace& trace, const std::string& call, const SliceFacts& facts) {
  std::vector<std::vector<Pair>> ranks(trace.ranks.size());
  for (size_t rank = 0; rank < ranks.size(); rank++) add_pairs(ranks[rank], trace.ranks[rank], call, facts);
  for (const Field& field : numbers_of_ranks(ranks)) pairs.of_ranks.push_back(field);
  for (const std::vector<Pair>& rank : ranks) pairs.all.insert(pairs.all.end(), rank.begin(), rank.end());
}

void drop_numbers_of_ranks(Pairs& pairs) {
  for (Pair& pair : pairs.all)
    std::erase_if(pair.launch.numbers, [&](const TracedNumber& number) {
      return std::find(pairs.of_ranks.begin(), pairs.of_ranks.end(), Field{number.parameter, number.field}) !=
             pairs.of_ranks.end();
    });
}

std::vector<const TracedLaunch*> launches_of(const std::vector<Pair>& pairs) {
  std::vector<const TracedLaunch*> launches;
  for (const Pair& pair : pairs) launches.push_back(&pair.launch);
  return launches;
}

// What all pairs have in common; nothing when the size of messages does not follow from the launch.
std::optional<SliceGuard> common_guard(const std::vector<Pair>& pairs, int dimension) {
  std::vector<const TracedLaunch*> launches = launches_of(pairs);
  LaunchValues bytes;
  for (const Pair& pair : pairs) {
    if (pair.launch.block != pairs[0].launch.block) return std::nullopt;
    bytes.push_back(static_cast<int64_t>(pair.message_bytes));
  }
  if (!have_same_arguments(launches)) return std::nullopt;
  LaunchRelations relations = relations_of(launches, dimension);
  std::optional<Term> size = relations.explain(bytes);
  if (!size) return std::nullopt;
  return SliceGuard{false, constant_extents(relations), pairs[0].launch.block, other_relations(relations), *size};
}

size_t count_others(const std::vector<Pair>& own, const std::vector<Pair>& all) {
  std::vector<Pair> seen = own;
  for (const Pair& pair : all)
    if (std::none_of(seen.begin(), seen.end(), [&](const Pair& one) { return one.is_like(pair); }))
      seen.push_back(pair);
  return seen.size() - own.size();
}

struct Runs {
  Pairs own, all;  // Of the traced size, and of all.
};

Runs runs_of(const AccessTrace& trace, const std::string& place, const SliceFacts& facts) {
  Runs runs;
  add_run(runs.own, trace, place, facts);
  for (const AccessTrace& repeat : trace.repeats) add_run(runs.own, repeat, place, facts);
  runs.all = runs.own;
  for (const AccessTrace& other : trace.further) add_run(runs.all, other, place, facts);
  runs.own.of_ranks = runs.all.of_ranks;
  drop_numbers_of_ranks(runs.own);
  drop_numbers_of_ranks(runs.all);
  return runs;
}

// Value number `which` of all launches.
std::optional<Term> explain(const LaunchRelations& relations, const std::vector<LaunchValues>& launches, size_t which) {
  LaunchValues values;
  for (const LaunchValues& launch : launches) values.push_back(launch[which]);
  bool none = std::none_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });
  return none ? std::optional(Term{}) : relations.explain(values);
}

}  // namespace

uint64_t guarded_bytes(const model::TracedCall& call) {
  return call.collective == model::Collective::ReduceScatter ? call.bytes * static_cast<uint64_t>(call.rank_count)
                                                             : call.bytes;
}

SliceGuard slice_guard(const AccessTrace& trace, const std::string& place, const SliceFacts& facts) {
  auto [own, all] = runs_of(trace, place, facts);
  bool held = std::all_of(all.all.begin(), all.all.end(), [](const Pair& pair) { return pair.is_cut; });
  std::optional<SliceGuard> guard;
  if (held && count_others(own.all, all.all) >= kFurtherMin) guard = common_guard(all.all, facts.cut.dimension);
  if (guard) guard->at_other_sizes = true;
  if (!guard) guard = common_guard(own.all, facts.cut.dimension);
  if (!guard) guard = common_guard({own.all.front()}, facts.cut.dimension);
  return *guard;
}

std::optional<std::vector<Term>> terms_of(const AccessTrace& trace, const std::string& place, const SliceFacts& facts,
                                          const ValuesOf& values_of) {
  std::vector<Pair> pairs = runs_of(trace, place, facts).all.all;
  std::vector<LaunchValues> values;
  for (const Pair& pair : pairs) {
    std::optional<LaunchValues> own = values_of(*pair.traced, *pair.call);
    if (!own) return std::nullopt;
    values.push_back(std::move(*own));
  }
  LaunchRelations relations = relations_of(launches_of(pairs), facts.cut.dimension);
  std::vector<Term> terms;
  for (size_t i = 0; i < values[0].size(); i++) {
    std::optional<Term> term = explain(relations, values, i);
    if (!term) return std::nullopt;
    terms.push_back(std::move(*term));
  }
  return terms;
}

}  // namespace cuco::rewrite
