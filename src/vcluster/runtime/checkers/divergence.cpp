#include "vcluster/runtime/checkers/divergence.h"

#include "base/text.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace {

void report_once(Grid& grid, const char* kind, const std::string& text) {
  if (grid.reported_divergence) return;
  grid.reported_divergence = true;
  world->add_finding(kind, grid.device().rank, concat(describe_running_thread(), ": ", text));
}

}  // namespace

void report_divergence(Block& block, const MeetingPlace& first_from, uint32_t first, const MeetingPlace& from) {
  bool is_coop = first_from.is_coop || from.is_coop;
  report_once(block.grid(), is_coop ? "barrier_misuse" : "divergent_barrier",
              concat("it comes to ", from.place, " while thread ", first, " waits at ", first_from.place,
                     is_coop ? "; a call for a whole group must be made by all of its threads"
                             : "; all threads of a block must come to the same barrier"));
}

void report_missing_threads(Block& block, const char* place, uint32_t live) {
  report_once(block.grid(), "barrier_misuse",
              concat("the call at ", place, " is for the whole block, but only ", live, " of its ",
                     block.threads().size(), " threads have not returned"));
}

void report_shared_barrier(Block& block, int barrier, int other_warp) {
  report_once(block.grid(), "barrier_misuse",
              concat("hardware barrier ", barrier, " is in use by the span of warps that begins with warp ", other_warp,
                     "; spans that meet at the same time need different ids"));
}

}  // namespace cuco::vcluster
