#include "vcluster/runtime/checkers/source_reuse.h"

#include "base/text.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/grid.h"

namespace cuco::vcluster {

SourceGuard::SourceGuard(const char* source, size_t bytes, int rank)
    : source_(source), posted_(source, source + bytes), rank_(rank), place_(describe_running_thread()) {}

std::vector<char> SourceGuard::read() const {
  std::vector<char> seen(source_, source_ + posted_.size());
  // With the checking build the race detector finds it too, and names who wrote.
  if (seen != posted_ && !HappensBefore::enabled())
    world->add_finding("source_reuse", rank_,
                       concat(place_, ": the source of a put of ", posted_.size(),
                              " bytes changed before it was read; a flush or counter must come first"));
  return seen;
}

}  // namespace cuco::vcluster
