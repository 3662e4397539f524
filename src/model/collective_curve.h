// How long a host collective takes by its bytes, as measured between all ranks of a machine.
#pragma once

#include <vector>

#include "model/collectives.h"

namespace cuco::model {

struct CollectiveCurve {
  Collective collective{};  // A send is one message from every rank to the next, all at once.
  bool windows = false;     // Of buffers that are registered as symmetric windows.
  // Points with rising bytes, at least one. Bytes are count x size of the type, as the call gives them.
  std::vector<double> bytes, us;
};

// Straight lines between the points, level before the first, the last line's slope after the last.
double time_us(const CollectiveCurve& curve, double bytes);

// The curve for this call, or null. Without one of windows, that of other buffers is taken: it is slower.
const CollectiveCurve* find_curve(const std::vector<CollectiveCurve>& curves, Collective collective, bool windows);

}  // namespace cuco::model
