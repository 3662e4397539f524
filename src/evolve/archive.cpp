#include "evolve/archive.h"

#include <algorithm>
#include <bit>

namespace cuco::evolve {
namespace {

constexpr uint64_t kMiddleChunk = 64 << 10, kLargeChunk = 1 << 20;

unsigned chunk_class(uint64_t chunk_bytes) {
  if (chunk_bytes == space::kWholeMessage) return 0;
  if (chunk_bytes < kMiddleChunk) return 1;
  return chunk_bytes < kLargeChunk ? 2 : 3;
}

uint16_t bit(unsigned value) { return static_cast<uint16_t>(1u << value); }

}  // namespace

Cell cell_of(const space::Plan& plan) {
  Cell cell{};
  for (const space::SiteChoice& choice : plan.choices) {
    const space::Directive& directive = choice.directive;
    cell[0] |= bit(static_cast<unsigned>(directive.backend));
    cell[1] |= bit(static_cast<unsigned>(directive.placement));
    cell[2] |= bit(static_cast<unsigned>(directive.sync));
    cell[3] |= bit(static_cast<unsigned>(directive.issuer));
    cell[4] |= bit(chunk_class(directive.chunk_bytes));
  }
  cell[5] = static_cast<uint16_t>(plan.schedule.order);
  cell[6] = static_cast<uint16_t>(std::bit_width(plan.schedule.communication_ctas));
  return cell;
}

bool Archive::add(size_t member, double score, const space::Plan& plan) {
  auto [place, first] = elites_.try_emplace(cell_of(plan), Elite{member, score});
  if (!first && score <= place->second.score) return false;
  place->second = {member, score};
  if (elites_.size() <= capacity_) return true;
  drop_slowest();
  return std::ranges::any_of(elites_, [&](const auto& each) { return each.second.member == member; });
}

void Archive::drop_slowest() {
  elites_.erase(std::ranges::min_element(elites_, {}, [](const auto& each) { return each.second.score; }));
}

std::vector<size_t> Archive::members() const {
  std::vector<size_t> members;
  for (const auto& [cell, elite] : elites_) members.push_back(elite.member);
  return members;
}

std::vector<size_t> Archive::sample(size_t count, size_t without, Random& random) const {
  std::vector<size_t> left = members();
  std::erase(left, without);
  std::vector<size_t> drawn;
  while (drawn.size() < count && !left.empty()) {
    size_t index = random.below(left.size());
    drawn.push_back(left[index]);
    left.erase(left.begin() + static_cast<ptrdiff_t>(index));
  }
  return drawn;
}

}  // namespace cuco::evolve
