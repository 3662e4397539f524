#include "vcluster/runtime/checkers/signal_ledger.h"

#include <algorithm>

#include "base/text.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/plain_loop.h"

namespace cuco::vcluster {

namespace {

// The harness calls a region a few times only: whether a slot's first credit is ever asked for shows when it comes
// round.
constexpr uint32_t kCallsToJudgeBy = 16;

}  // namespace

void SignalLedger::note_sender() {
  in_flight_++;
  sent_++;
  Sender& sender = senders_[current_block->grid().device().rank];
  sender.count++;
  sender.place = describe_running_thread();
}

// A signal that may come before the reset is lost in some runs, whatever the order was in this one.
void SignalLedger::check_reset(int rank, uint32_t signal) {
  if (races().comes_after(reset_)) return;
  reset_ = Epoch();
  world->add_finding("signal_accounting", rank,
                     concat(describe_running_thread(), ": signal ", signal, " of rank ", rank,
                            " is sent, but nothing orders it after the reset by ", reset_place_));
}

void SignalLedger::on_post(Action action, int rank, uint32_t signal) {
  check_reset(rank, signal);
  note_feedback();
  note_sender();
  bool mixed_before = increments_ && adds_;
  (action == Action::Increment ? increments_ : adds_) = true;
  if (increments_ && adds_ && !mixed_before)
    world->add_finding("signal_accounting", rank,
                       concat(describe_running_thread(), ": signal ", signal, " of rank ", rank,
                              " gets both SignalInc and SignalAdd without a reset between"));
}

// One piece of evidence is enough, so it is looked for only until there is some.
void SignalLedger::note_feedback() {
  if (has_feedback_ || waits_grow_) return;
  has_feedback_ =
      std::any_of(met_.begin(), met_.end(), [](const auto& wait) { return races().comes_after(wait.second); });
}

// Waiting again for what was met before is harmless unless something was sent since then.
void SignalLedger::report_stale(uint64_t least, int rank, uint32_t signal) {
  repeat_place_ = describe_running_thread();
  if (sent_ == sent_when_met_) return;
  stale_place_ = repeat_place_;
  world->add_finding("stale_wait", rank,
                     concat(stale_place_, ": the wait for ", least, " on signal ", signal, " of rank ", rank,
                            " is met by an earlier round, which waited for ", least_max_, "; since then ",
                            counted(sent_ - sent_when_met_, "signal"), " more came: ", progress()));
}

// A wait by the block that waited last, or by a later launch, begins a round of its own.
void SignalLedger::on_wait(uint64_t least, int rank, uint32_t signal) {
  uint64_t launch = current_block->grid().number(), block = current_block->index();
  bool begins_round = launch != round_launch_ || block == round_block_;
  if (begins_round) {
    if (least <= least_max_ && stale_place_.empty()) report_stale(least, rank, signal);
    waits_grow_ = waits_grow_ || (was_waited_ && least > least_max_);
    round_launch_ = launch, round_block_ = block;
  }
  was_waited_ = true;
  least_max_ = std::max(least_max_, least);
}

void SignalLedger::on_wait_met() {
  sent_when_met_ = sent_;
  if (has_feedback_ || waits_grow_) return;
  auto [first, is_new] = met_.try_emplace({current_block->grid().number(), current_block->index()});
  if (is_new) first->second = races().mark();
}

void SignalLedger::on_reset(uint64_t value, int rank, const std::string& what) {
  if (in_flight_ > 0)
    world->add_finding("signal_accounting", rank,
                       concat(describe_running_thread(), ": ", what, " of rank ", rank, " is reset while ", in_flight_,
                              " of those sent to it are under way; ", progress()));
  else if (!was_read_ && value > least_max_)
    world->add_finding("signal_accounting", rank,
                       concat(describe_running_thread(), ": ", what, " of rank ", rank, " is reset at ", value,
                              ", but nothing has waited for more than ", least_max_, "; ", progress()));
  int in_flight = in_flight_;
  *this = SignalLedger();
  in_flight_ = in_flight;
  reset_ = races().mark();
  reset_place_ = describe_running_thread();
}

// Whether a round after the last could wait for what is left.
bool SignalLedger::has_later_wait() const {
  if (was_waited_) return waits_grow_ || has_feedback_;
  uint32_t calls = looped_calls();
  return calls > 0 && calls < kCallsToJudgeBy;
}

void SignalLedger::check_end(uint64_t value, int rank, uint32_t signal) const {
  if (was_read_ || value <= least_max_ || !stale_place_.empty()) return;
  if (!repeat_place_.empty() && !waits_grow_) {
    world->add_finding("stale_wait", rank,
                       concat(repeat_place_, ": the wait on signal ", signal, " of rank ", rank,
                              " asks for no more than an earlier round did; the signal reached ", value,
                              " but the largest value waited for is ", least_max_, "; ", progress()));
    return;
  }
  if (has_later_wait()) return;
  world->add_finding("signal_accounting", rank,
                     concat("signal ", signal, " of rank ", rank, " reached ", value, ", but ",
                            was_waited_ ? concat("nothing waited for more than ", least_max_) : "nothing looks at it",
                            ", and no later round could; ", progress()));
}

std::string SignalLedger::progress() const {
  if (senders_.empty()) return "nobody has sent to it";
  std::string text;
  for (const auto& [rank, sender] : senders_)
    text += concat(text.empty() ? "" : "; ", "rank ", rank, " has sent ", counted(sender.count, "time"), ", last in ",
                   sender.place);
  return text;
}

}  // namespace cuco::vcluster
