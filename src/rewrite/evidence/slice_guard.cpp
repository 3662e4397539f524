#include <algorithm>
#include <map>

#include "base/assert.h"
#include "base/text.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using model::TracedNumber;

// A launch that is cut and the size of the messages that follow it.
struct Pair {
  TracedLaunch launch;  // Without its blocks.
  uint64_t message_bytes;
  bool is_cut;  // As in the first run.
  const TracedLaunch* traced;
  const TracedCall* call;

  bool is_like(const Pair& other) const {
    return launch == other.launch && message_bytes == other.message_bytes && is_cut == other.is_cut;
  }
};

TracedLaunch without_blocks(const TracedLaunch& launch) {
  return {launch.kernel, launch.grid, launch.block, {}, {}, launch.numbers};
}

// Where units have no equal shares the launch runs whole, so what its blocks do there is of no matter.
bool has_equal_shares(const Cut& cut, const TracedLaunch& launch, const TracedCall& call) {
  uint64_t units = launch.grid[static_cast<size_t>(cut.dimension)];
  return guarded_bytes(call) % (cut.piece_bytes == 0 ? units : units * cut.piece_bytes) == 0;
}

// The calls of one rank whose stream had the launch last.
void add_pairs(std::vector<Pair>& pairs, const std::vector<TracedStep>& steps, const std::string& call,
               const SliceFacts& facts) {
  std::map<uint32_t, const TracedStep*> last;  // By stream.
  for (const TracedStep& step : steps) {
    if (step.is_launch) last[step.stream] = &step;
    const TracedStep* before = last[step.stream];
    if (step.is_launch || !before || !same_place(before->place, facts.launch)) continue;
    if (same_place(step.place, call) && sent_by(step.call) && has_equal_shares(facts.cut, before->launch, step.call))
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
      return std::ranges::find(pairs.of_ranks, Field{number.parameter, number.field}) != pairs.of_ranks.end();
    });
}

std::vector<const TracedLaunch*> launches_of(const std::vector<Pair>& pairs) {
  std::vector<const TracedLaunch*> launches;
  for (const Pair& pair : pairs) launches.push_back(&pair.launch);
  return launches;
}

// Adds what all pairs have in common; false when the size of messages does not follow from the launch.
bool guard_by(const std::vector<Pair>& pairs, SliceFacts& facts) {
  std::vector<const TracedLaunch*> launches = launches_of(pairs);
  if (!can_be_compared(launches)) return false;
  footprint::LaunchValues bytes;
  for (const Pair& pair : pairs) bytes.push_back(static_cast<int64_t>(pair.message_bytes));
  LaunchRelations relations = footprint::relations_of(launches, facts.cut.dimension);
  std::optional<footprint::Term> size = relations.explain(bytes);
  if (!size) return false;
  facts.guard = relations.guard(pairs[0].launch.block);
  facts.message_bytes = *size;
  return true;
}

size_t count_others(const std::vector<Pair>& own, const std::vector<Pair>& all) {
  std::vector<Pair> seen = own;
  for (const Pair& pair : all)
    if (std::ranges::none_of(seen, [&](const Pair& one) { return one.is_like(pair); })) seen.push_back(pair);
  return seen.size() - own.size();
}

// An error says why the cut is not known to hold at other sizes, as the end of a sentence.
Status guard_at_all_sizes(const Pairs& own, const Pairs& all, SliceFacts& facts) {
  bool held = std::ranges::all_of(all.all, [](const Pair& pair) { return pair.is_cut; });
  if (!held) return Error{concat("blocks of ", facts.kernel, " own other shares of the messages at smaller sizes")};
  if (count_others(own.all, all.all) < footprint::kFurtherMin)
    return Error{
        concat("fewer than two launches of ", facts.kernel, " at other sizes were traced before such messages")};
  if (!guard_by(all.all, facts))
    return Error{concat("no product of the numbers of ", facts.kernel,
                        "'s launch gives the size of the messages at all traced sizes")};
  return Done{};
}

struct Runs {
  Pairs own, all;  // Of the traced size, and of all.
};

Runs runs_of(const AccessTrace& trace, const std::string& place, const SliceFacts& facts) {
  Runs runs;
  for_each_run(trace, [&](const AccessTrace& run, bool is_own) {
    if (is_own) add_run(runs.own, run, place, facts);
    add_run(runs.all, run, place, facts);
  });
  runs.own.of_ranks = runs.all.of_ranks;
  drop_numbers_of_ranks(runs.own);
  drop_numbers_of_ranks(runs.all);
  return runs;
}

}  // namespace

uint64_t guarded_bytes(const TracedCall& call) {
  return call.collective == Collective::ReduceScatter ? call.bytes * static_cast<uint64_t>(call.rank_count)
                                                      : call.bytes;
}

void add_guard(SliceFacts& facts, const AccessTrace& trace, const std::string& place) {
  auto [own, all] = runs_of(trace, place, facts);
  Status at_all = guard_at_all_sizes(own, all, facts);
  facts.at_other_sizes = at_all.ok();
  if (facts.at_other_sizes) return;
  // A cut that only the case shows would be used nowhere else, and so be proved nowhere.
  if (trace.is_case)
    facts.obstacle = at_all.error().message;
  else if (!guard_by(own.all, facts))
    CUCO_ASSERT(guard_by({own.all.front()}, facts));
}

std::optional<AccessTerms> access_over(const AccessTrace& trace, const std::string& place, const SliceFacts& facts,
                                       const AccessOf& access_of) {
  std::vector<Pair> pairs = runs_of(trace, place, facts).all.all;
  std::vector<std::optional<Access>> accesses;
  for (const Pair& pair : pairs) {
    accesses.emplace_back(access_of(*pair.traced, *pair.call));
    if (!accesses.back()->has_rule()) return std::nullopt;
  }
  std::vector<const TracedLaunch*> launches = launches_of(pairs);
  return explained(footprint::relations_of(launches, facts.cut.dimension), launches, accesses);
}

}  // namespace cuco::rewrite
