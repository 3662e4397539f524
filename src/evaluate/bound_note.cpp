#include "evaluate/bound_note.h"

#include "base/text.h"

namespace cuco::evaluate {

namespace {

std::string reason_of(const Timing& candidate, const Timing& baseline) {
  bool fewer_bytes = candidate.bound_communication_us < baseline.bound_communication_us;
  bool less_work = candidate.bound_compute_us < baseline.bound_compute_us;
  if (fewer_bytes && less_work)
    return "it moves fewer bytes, and its kernels have less to do in the form it gives them";
  if (fewer_bytes) return "it moves fewer bytes";
  if (less_work) return "its kernels have less to do in the form it gives them";
  if (candidate.bound_order_us < baseline.bound_order_us) return "it runs kernels, or parts of them, in another order";
  return "its blocks share multiprocessors in a way that the clock does not charge in full";
}

}  // namespace

std::string note_below_bound(const Timing& candidate, const Timing& baseline) {
  if (candidate.median_us >= baseline.bound_us()) return "";
  return concat("faster than the baseline's bound of ", baseline.bound_us(), " us: ", reason_of(candidate, baseline));
}

}  // namespace cuco::evaluate
