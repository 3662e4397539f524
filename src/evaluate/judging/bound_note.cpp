#include "evaluate/judging/bound_note.h"

#include <algorithm>

#include "base/text.h"

namespace cuco::evaluate {

namespace {

constexpr double kRounding = 1e-3;

std::string reason_of(const Timing& candidate, const Timing& baseline) {
  bool fewer_bytes = candidate.bound_communication_us < baseline.bound_communication_us;
  bool less_work = candidate.bound_compute_us < baseline.bound_compute_us;
  if (fewer_bytes && less_work)
    return "it moves fewer bytes, and its kernels have less to do in the form it gives them";
  if (fewer_bytes) return "it moves fewer bytes";
  if (less_work) return "its kernels have less to do in the form it gives them";
  return "it runs kernels, or parts of them, in another order";
}

std::string own_impossibility(const Timing& candidate) {
  double least_us = candidate.bound_in_any_order_us() * (1 - kRounding);
  if (candidate.median_us >= least_us) return "";
  bool by_compute = candidate.bound_compute_us >= candidate.bound_communication_us;
  return concat("it is said to take ", candidate.median_us, " us, but the ", by_compute ? "blocks" : "bytes",
                " that it was seen to ", by_compute ? "run" : "send", " take ", candidate.bound_in_any_order_us(),
                " us in whatever order");
}

}  // namespace

std::string note_below_bound(const Timing& candidate, const Timing& baseline) {
  if (candidate.median_us >= baseline.bound_us()) return "";
  return concat("faster than the baseline's bound of ", baseline.bound_us(), " us: ", reason_of(candidate, baseline));
}

std::string impossibility(const Timing& candidate, const Timing& baseline) {
  if (std::string own = own_impossibility(candidate); !own.empty()) return own;
  if (candidate.median_us >= std::min(candidate.bound_us(), baseline.bound_us()) * (1 - kRounding)) return "";
  return concat("it is said to take ", candidate.median_us, " us, less than its kernels take in their order (",
                candidate.bound_us(), " us) and less than the baseline's bound (", baseline.bound_us(),
                " us): more would be hidden than there is to hide");
}

}  // namespace cuco::evaluate
