#include "vcluster/runtime/timing/host_work.h"

#include <algorithm>

namespace cuco::vcluster {

namespace {

constexpr Time kLeast = 100 * kNanosecond;

// Estimate: what a program does around a call, to pass its arguments and to look at what it returns.
constexpr CostCounters kAroundACall = [] {
  CostCounters counters = {};
  counters[IntegerOperations] = 256;
  counters[FpOperations] = 32;
  counters[AccessedBytes] = 2048;
  return counters;
}();

CostCounters less(CostCounters work, const CostCounters& by) {
  for (size_t i = 0; i < work.size(); i++) work[i] -= std::min(work[i], by[i]);
  return work;
}

}  // namespace

void HostWork::count() {
  CostCounters counted = counted_since(counted_from_);
  for (size_t i = 0; i < counted.size(); i++) unpaid_[i] += counted[i];
  counted_from_ = cost_counters();
}

void HostWork::pause() {
  count();
  has_waited_ = true;
}

Time HostWork::take_due(const model::HostProfile& host) {
  count();
  CostCounters charged = has_waited_ ? less(unpaid_, kAroundACall) : unpaid_;
  has_waited_ = false;
  Time due = host_time_of(charged, host);
  unpaid_ = due < kLeast ? charged : CostCounters{};
  return due < kLeast ? 0 : due;
}

}  // namespace cuco::vcluster
