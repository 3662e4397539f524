#include "evaluate/judging/work_share.h"

#include <algorithm>

#include "base/number_text.h"
#include "base/text.h"

namespace cuco::evaluate {

namespace {

// Sizes differ in how blocks fill a GPU and how messages fill their chunks.
constexpr double kKeptShareLeast = 0.8;

double share_of(double candidate_us, double baseline_us) { return baseline_us > 0 ? candidate_us / baseline_us : 1; }

std::string missing(const char* what, double timed, std::optional<double> proved) {
  if (timed <= 0) return concat("it ", what, " nothing in its timed region at this size, where the baseline does");
  if (!proved || timed >= kKeptShareLeast * std::min(1.0, *proved)) return "";
  return concat("at this size it ", what, " ", percent(timed), " of what the baseline does, where it was verified ",
                percent(*proved));
}

}  // namespace

WorkShare work_share(const Timing& candidate, const Timing& baseline) {
  return {share_of(candidate.bound_compute_us, baseline.bound_compute_us),
          share_of(candidate.bound_communication_us, baseline.bound_communication_us)};
}

std::string missing_work(const WorkShare& timed, const std::optional<WorkShare>& proved) {
  auto of = [&](double WorkShare::*member) { return proved ? std::optional((*proved).*member) : std::nullopt; };
  std::string computes = missing("computes", timed.compute, of(&WorkShare::compute));
  return computes.empty() ? missing("sends", timed.bytes, of(&WorkShare::bytes)) : computes;
}

}  // namespace cuco::evaluate
