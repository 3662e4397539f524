#include "evolve/population.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/assert.h"

namespace cuco::evolve {

Population::Population(const PopulationOptions& options)
    : options_(options), islands_(options.islands), archive_(options.archive_capacity) {
  CUCO_ASSERT(options.islands > 0);
}

void Population::add(Member member, bool shared) {
  size_t index = members_.size();
  CUCO_ASSERT(member.candidate.id == static_cast<store::Id>(index) + 1);
  members_.push_back(std::move(member));
  const Member& added = members_.back();
  if (added.pending) return;
  for (store::Id parent : {added.candidate.parent, added.candidate.other_parent})
    if (parent != store::kNoId) ++members_[static_cast<size_t>(parent) - 1].children;
  if (!added.passed()) {
    // What is right and was not timed is nothing to learn from as a failure.
    bool is_right = added.verdict.reached == evaluate::Level::Verified && added.verdict.passed();
    if (!is_right) failures_.push_back(index);
    return;
  }
  if (!best_ || added.score > members_[*best_].score) best_ = index;
  if (options_.archive && added.plan) archive_.add(index, added.score, *added.plan);
  for (uint32_t island = 0; island < islands_.size(); ++island)
    if (shared || island == added.candidate.island) settle(index, island);
}

std::vector<Member> Population::take_pending() {
  auto first = std::ranges::find_if(members_.rbegin(), members_.rend(), std::not_fn(&Member::pending)).base();
  std::vector<Member> pending(std::make_move_iterator(first), std::make_move_iterator(members_.end()));
  members_.erase(first, members_.end());
  return pending;
}

void Population::disqualify(size_t member) {
  for (std::vector<size_t>& island : islands_) std::erase(island, member);
  if (best_ != member) return;
  best_.reset();
  for (size_t index = 0; index < members_.size(); ++index)
    if (members_[index].passed() && (!best_ || members_[index].score > members_[*best_].score)) best_ = index;
}

// Equal scores keep the order in which they came.
void Population::settle(size_t member, uint32_t island) {
  std::vector<size_t>& ranked = islands_[island];
  auto place = std::upper_bound(ranked.begin(), ranked.end(), members_[member].score,
                                [&](double score, size_t other) { return score > members_[other].score; });
  ranked.insert(place, member);
}

Parents Population::select(uint32_t island, Selection selection, double pressure, Random& random) const {
  const std::vector<size_t>& ranked = islands_[island];
  if (ranked.empty()) return {};
  std::vector<Contender> contenders;
  contenders.reserve(ranked.size());
  for (size_t member : ranked) contenders.push_back({members_[member].score, members_[member].children});
  std::vector<double> weights = selection_weights(selection, contenders, pressure);
  size_t first = draw_by_weight(weights, random);
  if (ranked.size() == 1) return {ranked[first], std::nullopt};
  weights = selection_weights(Selection::PowerLaw, contenders, pressure);
  weights[first] = 0;
  return {ranked[first], ranked[draw_by_weight(weights, random)]};
}

std::vector<size_t> Population::top(uint32_t island, size_t count, size_t without) const {
  std::vector<size_t> best;
  for (size_t member : islands_[island]) {
    if (best.size() == count) break;
    if (member != without) best.push_back(member);
  }
  return best;
}

std::vector<size_t> Population::recent_failures(size_t count) const {
  auto begin = failures_.rbegin();
  return {begin, begin + static_cast<ptrdiff_t>(std::min(count, failures_.size()))};
}

std::vector<uint32_t> Population::targets(uint32_t island) const {
  if (!options_.migration_graph.empty())
    return island < options_.migration_graph.size() ? options_.migration_graph[island] : std::vector<uint32_t>{};
  return {static_cast<uint32_t>((island + 1) % islands_.size())};
}

// The bests are taken before any of them moves, so that nobody travels two islands at once.
std::vector<Migration> Population::migrate() {
  std::vector<Migration> moves;
  for (uint32_t island = 0; island < islands_.size(); ++island) {
    if (islands_[island].empty()) continue;
    for (uint32_t to : targets(island))
      if (to < islands_.size()) moves.push_back({islands_[island].front(), island, to});
  }
  std::erase_if(moves, [&](const Migration& move) {
    return std::ranges::find(islands_[move.to], move.member) != islands_[move.to].end();
  });
  for (const Migration& move : moves) settle(move.member, move.to);
  return moves;
}

}  // namespace cuco::evolve
