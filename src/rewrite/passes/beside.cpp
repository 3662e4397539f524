// Launches that can leave their place in a stream: all that they touch is told to the section, or nobody writes it.
#include <algorithm>

#include "base/text.h"
#include "model/step_facts.h"
#include "rewrite/passes/pass.h"

namespace cuco::rewrite {

namespace {

bool is_at_place(const Operation& operation, const Operation& launch) {
  return operation.launch && operation.range.file == launch.range.file &&
         operation.range.begin_byte == launch.range.begin_byte;
}

// Why the region keeps its launch where it is; empty when it does not.
std::string hold_of(const Work& work, const model::Region& region, const std::set<Index>& told, Index first_step) {
  if (told.contains(region.buffer)) return "";
  if (region.buffer >= work.program().buffers.size()) return "what it touches is not known";
  const model::Buffer& buffer = work.program().buffers[region.buffer];
  if (buffer.kind == model::BufferKind::External) return concat("`", buffer.name, "` may be any memory");
  if (model::writes(region.access) || is_written(work, region.buffer, first_step))
    return concat("`", buffer.name, "` is written and no communicated buffer");
  return "";
}

std::string hold_of_launch(const Work& work, const Operation& launch, const std::set<Index>& told, Index first_step) {
  if (launch.launch->cooperative) return "it is cooperative";
  for (const auto& [site, facts] : work.found.slices)
    if (same_place(facts.launch, concat(work.program().files[launch.range.file].path, ":", launch.range.line)))
      return "its grid is cut";
  for (Index step = first_step + 1; step < work.program().steps.size(); ++step) {
    if (!is_at_place(model::operation_at(work.program(), step), launch)) continue;
    for (const model::Region& region : work.program().steps[step].regions)
      if (std::string hold = hold_of(work, region, told, first_step); !hold.empty()) return hold;
  }
  return "";
}

}  // namespace

bool is_written(const Work& work, Index buffer, Index first_step) {
  for (Index step = first_step + 1; step < work.program().steps.size(); ++step)
    for (const model::Region& region : work.program().steps[step].regions)
      if (region.buffer == buffer && model::writes(region.access)) return true;
  return false;
}

bool can_run_beside(Work& work, const Operation& launch, const std::set<Index>& told, Index first_step) {
  if (work.request.plan.schedule.order != space::WorkOrder::SideBySide) return false;
  std::string hold = hold_of_launch(work, launch, told, first_step);
  work.note(
      launch.callee, " at ", model::location_text(work.program(), launch.range),
      hold.empty() ? " runs beside the other work of its stream" : concat(" keeps its place in its stream: ", hold));
  return hold.empty();
}

}  // namespace cuco::rewrite
