// What a program's own order costs when communication takes no time: the longest chain of kernels and copies on the
// device that wait for each other, by streams, events and host threads that wait. A kernel counts as if it had the
// device to itself, with whole blocks: nine blocks on two multiprocessors take as long as five on one. Where several
// chains come together, all blocks before that place must have found their time on the same multiprocessors, however
// many streams they were on. The same of all blocks together knows no order.
//
// The first is a lower bound for whatever keeps the launches and their order, the second for whatever keeps the blocks.
// A host thread notices the end of what it waits for a while later, unless it comes to ask after that. With less to
// wait for on its way it comes no later than it did: what ends after that is noticed late in any case. Bytes that leave
// a rank take their time on its link, and none leaves before it is there: of the kernel in front of them one block has
// to be done, and so has what the block that sends them computes first. That leaves room for whoever sends every tile
// as soon as it is written. Leaves out: waits for other ranks, and waits inside of kernels, so a chain across ranks
// counts with its longest part on one of them.
#pragma once

#include <cstddef>
#include <vector>

#include "vcluster/runtime/engine/clock.h"

namespace cuco::vcluster {

// How long a multiprocessor that gets the most of the blocks is busy at least, whichever way they are dealt out.
// `blocks`: what each needs for itself.
Time time_in_whole_blocks(std::vector<Time> blocks, size_t multiprocessor_count);

struct TimeSpan {
  Time begin = 0, end = 0;
};

class WorkOrder {
 public:
  // Stands for no step.
  static constexpr size_t kNone = 0;

  // Bytes on their way out, by what the block that sends them has computed before; none of a host's call.
  struct Sent {
    bool between_nodes = false;
    Time computed = 0;
    Time wire = 0;  // That the link takes for them.
  };
  struct Step {
    int rank = 0;
    TimeSpan span;
    Time alone = 0;                 // Of a kernel that computes or a copy on the device; 0: anything else.
    std::vector<size_t> after;      // Steps that were added before.
    std::vector<Time> blocks = {};  // Of a kernel: what each of them computes.
    // Of a host thread that waits: when it began to, and how long it takes to notice where it has to wait at all.
    Time asked = 0, notices = 0;
    std::vector<Sent> sent = {};
  };
  size_t add(Step step);

  // What the blocks of all steps inside of a rank's region take in whatever order, on the busiest rank.
  Time in_whole_blocks(const std::vector<TimeSpan>& regions, size_t multiprocessor_count) const;
  // Over all ranks, of the steps inside of the rank's region; `gap` passes between two steps of a chain.
  Time longest(const std::vector<TimeSpan>& regions, Time gap, size_t multiprocessor_count) const;

 private:
  static bool is_inside(const Step& step, const std::vector<TimeSpan>& regions);

  std::vector<Step> steps_;
};

}  // namespace cuco::vcluster
