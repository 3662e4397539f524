#include <algorithm>

#include "gpu/evaluate.h"

namespace cuco::gpu {

bool is_faster(const evaluate::Timing& candidate, const evaluate::Timing& baseline) {
  double spread_us = std::max(candidate.most_us - candidate.least_us, baseline.most_us - baseline.least_us);
  return candidate.median_us + spread_us / 2 < baseline.median_us;
}

}  // namespace cuco::gpu
