#include "vcluster/runtime/checkers/barriers.h"

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/grid.h"

namespace cuco::vcluster {

void BarrierLedger::on_arrive(int rank, const std::string& name) {
  name_ = name;
  Side& side = sides_[rank];
  uint64_t launch = current_block->grid().number(), block = current_block->index();
  std::string place = describe_running_thread();
  if (side.is_open && (side.launch != launch || side.block != block) && !has_reported_) {
    has_reported_ = true;
    world->add_finding("barrier_misuse", rank,
                       concat(place, ": ", name_, " is still in use by ", side.place,
                              "; a barrier belongs to one block of each rank"));
  }
  side = {side.arrivals + 1, true, launch, block, std::move(place)};
}

void BarrierLedger::check_end() const {
  if (has_reported_) return;
  for (const auto& [rank, side] : sides_)
    if (side.is_open)
      world->add_finding("barrier_misuse", rank,
                         concat(side.place, ": the arrival at ", name_, " is never waited for"));
}

void BarrierLedger::report_missing(int rank, int peer) const {
  auto side = sides_.find(rank), other = sides_.find(peer);
  std::string theirs = other == sides_.end() ? "has never come"
                                             : concat("has come ", counted(other->second.arrivals, "time"),
                                                      ", last in ", other->second.place);
  world->add_finding(
      "barrier_misuse", rank,
      concat(side->second.place, ": rank ", rank, " has come ", counted(side->second.arrivals, "time"), " to ", name_,
             " and waits for rank ", peer, ", which ", theirs, " and runs no kernel any more"));
}

std::string BarrierLedger::progress() const {
  std::string text;
  for (const auto& [rank, side] : sides_)
    text += concat(text.empty() ? "" : ", ", "rank ", rank, " has come ", counted(side.arrivals, "time"));
  return text;
}

}  // namespace cuco::vcluster
