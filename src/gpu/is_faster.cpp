#include <algorithm>

#include "gpu/evaluate.h"

namespace cuco::gpu {

bool is_faster(const evaluate::Timing& candidate, const evaluate::Timing& baseline) {
  return candidate.median_us + std::max(candidate.spread_us, baseline.spread_us) < baseline.median_us;
}

}  // namespace cuco::gpu
