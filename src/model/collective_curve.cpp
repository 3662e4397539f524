#include "model/collective_curve.h"

#include <algorithm>

namespace cuco::model {

double time_us(const CollectiveCurve& curve, double bytes) {
  const std::vector<double>& xs = curve.bytes;
  const std::vector<double>& ys = curve.us;
  if (bytes <= xs.front() || xs.size() == 1) return ys.front();
  auto after = static_cast<size_t>(std::lower_bound(xs.begin(), xs.end(), bytes) - xs.begin());
  size_t right = std::min(after, xs.size() - 1), left = right - 1;
  double slope = (ys[right] - ys[left]) / (xs[right] - xs[left]);
  return ys[left] + slope * (bytes - xs[left]);
}

const CollectiveCurve* find_curve(const std::vector<CollectiveCurve>& curves, Collective collective, bool windows) {
  const CollectiveCurve* plain = nullptr;
  for (const CollectiveCurve& curve : curves) {
    if (curve.collective != collective) continue;
    if (curve.windows == windows) return &curve;
    if (!curve.windows) plain = &curve;
  }
  return plain;
}

}  // namespace cuco::model
