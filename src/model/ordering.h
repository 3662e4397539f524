// Which work of a run is complete before which other work starts, by streams, events, groups and the host alone.
//
// The steps are replayed in host order with one clock per stream: work on a stream completes in the order it was
// queued, so "how many pieces of each stream are complete" says everything. What code that cannot be seen might do is
// taken in the user's favour: an External stream is ordered with the legacy default stream as a blocking one is.
#pragma once

#include <vector>

#include "model/program.h"

namespace cuco::model {

// For each step the first step of the exchange it belongs to. Communication between the outermost ncclGroupStart and
// ncclGroupEnd is one exchange: it starts and completes as a whole. Any other step is an exchange of its own.
std::vector<Index> find_exchanges(const Program& program);

class StepOrder {
 public:
  // For each lane, how many pieces of its work are complete. Lanes are the streams, then two of our own: the host, and
  // the legacy default stream when the program does not list one.
  using Clock = std::vector<uint32_t>;

  explicit StepOrder(const Program& program);

  // Both must be touches_buffers(); `from` must come first in host order.
  bool happens_before(Index from, Index to) const;

 private:
  friend class Replay;

  struct Place {
    Index lane = kNone;
    uint32_t position = 0;  // In the lane.
    Clock start;            // What is complete when it starts.
  };
  std::vector<Place> places_;  // One per step.
};

}  // namespace cuco::model
