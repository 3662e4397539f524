#include "evolve/stop_rules.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace cuco::evolve {

std::optional<double> bound_share(const Member& baseline, const Member& member) {
  if (!member.passed() || !member.verdict.timing || member.verdict.timing->median_us <= 0) return std::nullopt;
  // Another order could be faster, so that of these programs is no reason to stop.
  double bound_us = member.verdict.timing->bound_in_any_order_us();
  if (baseline.verdict.timing) bound_us = std::min(bound_us, baseline.verdict.timing->bound_in_any_order_us());
  if (bound_us <= 0) return std::nullopt;
  return bound_us / member.verdict.timing->median_us;
}

namespace {

// Of the time, and of what the baseline leaves to hide: where that is little, a program is near its bound long before
// what was asked for is done.
bool is_at_bound(const SearchOptions& options, const Member& baseline, const Member& best, double share) {
  if (share < options.bound_share) return false;
  if (!baseline.verdict.timing) return true;
  double bound_us = share * best.verdict.timing->median_us, baseline_us = baseline.verdict.timing->median_us;
  return baseline_us - best.verdict.timing->median_us >= options.bound_share * (baseline_us - bound_us);
}

}  // namespace

std::optional<std::string> reason_to_stop(const SearchOptions& options, const Standing& standing) {
  if (standing.best != nullptr && standing.baseline != nullptr)
    if (std::optional<double> share = bound_share(*standing.baseline, *standing.best);
        share && is_at_bound(options, *standing.baseline, *standing.best, *share))
      return concat("#", standing.best->candidate.id, " reaches ", std::floor(*share * 1000) / 10,
                    " % of the speed of light.");
  if (standing.evaluations >= options.budget_evaluations)
    return concat("The budget of ", counted(options.budget_evaluations, "evaluation"), " is spent.");
  if (options.plateau > 0 && standing.since_better >= options.plateau)
    return concat("The last ", counted(standing.since_better, "evaluation"), " found nothing faster.");
  return std::nullopt;
}

}  // namespace cuco::evolve
