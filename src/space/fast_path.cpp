#include "space/fast_path.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "space/enumerate.h"

namespace cuco::space {
namespace {

constexpr Directive deferred(Backend backend, SyncScope sync) {
  return {backend, Placement::Deferred, sync, Issuer::Cta, kWholeMessage};
}

// Best first. LSA comes before GIN because where both are legal the NIC is the slower way.
constexpr std::array kPreferences = {
    deferred(Backend::Lsa, SyncScope::Barrier),      deferred(Backend::Lsa, SyncScope::Flag),
    deferred(Backend::Gin, SyncScope::Barrier),      deferred(Backend::Gin, SyncScope::PeerSignal),
    deferred(Backend::Hybrid, SyncScope::Barrier),   deferred(Backend::Hybrid, SyncScope::PeerSignal),
    deferred(Backend::Host, SyncScope::StreamEvent),
};

bool is_wished(const Directive& directive, std::optional<Backend> wished) {
  return !wished || directive.backend == *wished || directive.backend == Backend::Host;
}

}  // namespace

Plan fast_path_plan(const std::vector<SiteFacts>& sites, const model::HardwareProfile& profile,
                    std::optional<Backend> wished) {
  Plan plan;
  for (const SiteFacts& site : sites) plan.choices.push_back({site.name, {}});
  for (const std::vector<size_t>& exchange : exchanges_of(sites)) {
    auto legal_for_all = [&](const Directive& directive) {
      return is_wished(directive, wished) && std::ranges::all_of(exchange, [&](size_t site) { return is_legal(sites[site], directive, profile); });
    };
    auto best = std::ranges::find_if(kPreferences, legal_for_all);
    CUCO_ASSERT(best != kPreferences.end());
    for (size_t site : exchange) plan.choices[site].directive = *best;
  }
  return plan;
}

}  // namespace cuco::space
