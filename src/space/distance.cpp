#include "space/distance.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace cuco::space {
namespace {

constexpr int kDoublingsMax = 16;

double chunk_distance(uint64_t a, uint64_t b) {
  if (a == b) return 0;
  if (a == kWholeMessage || b == kWholeMessage) return 1;
  int doublings = std::abs(std::countr_zero(a) - std::countr_zero(b));
  return static_cast<double>(std::min(doublings, kDoublingsMax)) / kDoublingsMax;
}

double schedule_distance(const Schedule& a, const Schedule& b) {
  return (a.streams != b.streams) + (a.order != b.order) + (a.communication_ctas != b.communication_ctas) +
         (a.priority != b.priority) + (a.waits != b.waits);
}

size_t missing_sites(const Plan& plan, const Plan& other) {
  return static_cast<size_t>(std::ranges::count_if(
      other.choices, [&](const SiteChoice& choice) { return find_directive(plan, choice.site) == nullptr; }));
}

}  // namespace

double distance(const Directive& a, const Directive& b) {
  return (a.backend != b.backend) + (a.placement != b.placement) + (a.sync != b.sync) + (a.issuer != b.issuer) +
         chunk_distance(a.chunk_bytes, b.chunk_bytes);
}

double distance(const Plan& a, const Plan& b) {
  double sum = schedule_distance(a.schedule, b.schedule);
  for (const SiteChoice& choice : a.choices)
    if (const Directive* other = find_directive(b, choice.site)) sum += distance(choice.directive, *other);
  return sum + static_cast<double>(kDimensionCount * (missing_sites(a, b) + missing_sites(b, a)));
}

}  // namespace cuco::space
