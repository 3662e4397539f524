// When a search has done enough. Each rule gives its reason as a sentence that the user reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evolve/proposer.h"
#include "evolve/search.h"

namespace cuco::evolve {

struct Standing {
  uint32_t evaluations = 0;
  uint32_t since_better = 0;  // Evaluations behind the last one that was faster by kBetterShare.
  const Member* baseline = nullptr;
  const Member* best = nullptr;
};

// Smaller gains do not keep a search going.
inline constexpr double kBetterShare = 0.001;

std::optional<std::string> reason_to_stop(const SearchOptions& options, const Standing& standing);

// Which share of the speed of light the member reaches: bound / time. The lower bound of member and baseline counts: a
// program that moves more bytes than it must has a higher bound of its own, one that skips padding a lower one.
std::optional<double> bound_share(const Member& baseline, const Member& member);

}  // namespace cuco::evolve
