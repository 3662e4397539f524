#include "vcluster/runtime/checkers/signal_ledger.h"

#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/grid.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

void SignalLedger::on_post(Action action, int rank, uint32_t signal) {
  in_flight_++;
  bool mixed_before = increments_ && adds_;
  (action == Action::Increment ? increments_ : adds_) = true;
  if (increments_ && adds_ && !mixed_before)
    world->add_finding("signal_accounting", rank,
                       concat(describe_running_thread(), ": signal ", signal, " of rank ", rank,
                              " gets both SignalInc and SignalAdd without a reset between"));
}

void SignalLedger::on_wait(uint64_t least) {
  uint64_t launch = current_block->grid().number();
  if (launch != round_launch_) {
    least_before_ = least_max_;
    round_launch_ = launch;
    if (was_waited_ && least <= least_before_ && stale_place_.empty()) stale_place_ = describe_running_thread();
  }
  was_waited_ = true;
  least_max_ = std::max(least_max_, least);
}

void SignalLedger::on_reset(int rank, uint32_t signal) {
  if (in_flight_ > 0)
    world->add_finding("signal_accounting", rank,
                       concat(describe_running_thread(), ": signal ", signal, " is reset while ", in_flight_,
                              " signals to it are under way"));
  int in_flight = in_flight_;
  *this = SignalLedger();
  in_flight_ = in_flight;
}

void SignalLedger::check_end(uint64_t value, int rank, uint32_t signal) const {
  if (was_read_ || !was_waited_ || value <= least_max_) return;
  if (!stale_place_.empty()) {
    world->add_finding("stale_wait", rank,
                       concat(stale_place_, ": the wait on signal ", signal, " of rank ", rank,
                              " was satisfied by an earlier launch's signal; the signal reached ", value,
                              " but the largest value waited for is ", least_max_));
    return;
  }
  world->add_finding("signal_accounting", rank,
                     concat("signal ", signal, " of rank ", rank, " reached ", value,
                            ", but nothing waited for more than ", least_max_));
}

}  // namespace cuco::vcluster
