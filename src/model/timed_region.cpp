#include "model/timed_region.h"

#include <algorithm>

#include "model/guessed_region.h"
#include "model/marked_spans.h"
#include "model/ordering.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

bool encloses(const StepSpan& outer, const StepSpan& inner) {
  return outer != inner && outer.first <= inner.first && inner.last <= outer.last;
}

TimedRegion last_outermost(const Program& program, RegionBasis basis, const std::vector<StepSpan>& spans) {
  for (size_t i = spans.size(); i-- > 0;) {
    auto around = [&](const StepSpan& other) { return encloses(other, spans[i]); };
    if (std::none_of(spans.begin(), spans.end(), around)) return in_whole_loops(program, basis, spans[i]);
  }
  return {};
}

bool works_on_device(const Program& program, Index step) { return is_device_work(operation_at(program, step).kind); }

std::vector<StepSpan> only(const Program& program, std::vector<StepSpan> spans, StepTest wanted) {
  std::erase_if(spans, [&](const StepSpan& span) { return !contains(program, span, wanted); });
  return spans;
}

// Clocks and ranges are also set around a whole run, or around the communication alone.
std::vector<StepSpan> only_regions(const Program& program, std::vector<StepSpan> spans) {
  spans = only(program, std::move(spans), communicates);
  std::erase_if(spans, [&](const StepSpan& span) { return has_set_up(program, span); });
  std::vector<StepSpan> computing = only(program, spans, computes);
  return computing.empty() ? spans : computing;
}

bool computes_at_all(const Program& program) {
  return contains(program, {0, static_cast<Index>(program.steps.size()) - 1}, computes);
}

TimedRegion called_by_harness(const Program& program) {
  TimedRegion region;
  for (Index step = 0; step < program.steps.size(); ++step) {
    OperationKind kind = operation_at(program, step).kind;
    if (kind == OperationKind::RegionBegin && region.basis == RegionBasis::None)
      region = {RegionBasis::Harness, step, step};
    if (kind == OperationKind::RegionEnd) region.last_step = step;
  }
  return region;
}

bool is_on_device(const Program& program, Index buffer) {
  if (buffer >= program.buffers.size()) return false;
  BufferKind kind = program.buffers[buffer].kind;
  return kind != BufferKind::Host && kind != BufferKind::PinnedHost;
}

bool copies_to_host(const Program& program, Index step) {
  const Operation& operation = operation_at(program, step);
  if (operation.kind != OperationKind::Copy || !operation.copy) return false;
  if (operation.copy->kind == CopyKind::DeviceToHost) return true;
  if (operation.copy->kind != CopyKind::Unknown) return false;
  for (const Region& region : program.steps[step].regions)
    if (writes(region.access)) return region.buffer < program.buffers.size() && !is_on_device(program, region.buffer);
  return false;
}

class OutputList {
 public:
  explicit OutputList(const Program& program) : program_(program) {}

  void add_all(Index step, bool (*touched)(Access), const char* reason) {
    for (const Region& region : program_.steps[step].regions)
      if (touched(region.access) && is_on_device(program_, region.buffer)) add(region.buffer, reason);
  }

  bool empty() const { return outputs_.empty(); }
  std::vector<Output> take() { return std::move(outputs_); }

 private:
  void add(Index buffer, const char* reason) {
    auto same = [&](const Output& output) { return output.buffer == buffer; };
    if (std::none_of(outputs_.begin(), outputs_.end(), same)) outputs_.push_back({buffer, reason});
  }

  const Program& program_;
  std::vector<Output> outputs_;
};

void add_copied(const Program& program, OutputList& outputs) {
  const TimedRegion& region = program.timed_region;
  for (Index step = region.last_step + 1; step < program.steps.size(); ++step)
    if (copies_to_host(program, step)) outputs.add_all(step, reads, "copied back to the host after the region");
  for (Index step = region.last_step + 1; outputs.empty() && step-- > region.first_step;)
    if (copies_to_host(program, step)) outputs.add_all(step, reads, "copied back to the host at the end of the region");
}

bool receives(const Program& program, Index step) {
  const std::vector<Region>& regions = program.steps[step].regions;
  return std::any_of(regions.begin(), regions.end(), [](const Region& region) { return writes(region.access); });
}

void add_received(const Program& program, OutputList& outputs) {
  const TimedRegion& region = program.timed_region;
  std::vector<Index> exchanges = find_exchanges(program);
  Index last = kNone;
  for (Index step = region.first_step; step <= region.last_step; ++step)
    if (operation_at(program, step).kind == OperationKind::Communicate && receives(program, step))
      last = exchanges[step];
  for (Index step = region.first_step; step <= region.last_step; ++step)
    if (exchanges[step] == last) outputs.add_all(step, writes, "received by the last communication of the region");
}

}  // namespace

TimedRegion find_timed_region(const Program& program) {
  if (program.timed_region.basis == RegionBasis::Named || program.steps.empty()) return program.timed_region;
  if (TimedRegion region = called_by_harness(program); region.basis != RegionBasis::None) return region;
  std::vector<StepSpan> by_events = spans_by_events(program);
  std::vector<StepSpan> by_ranges = only_regions(program, spans_by_ranges(program));
  if (computes_at_all(program)) by_ranges = only(program, std::move(by_ranges), computes);
  for (TimedRegion region :
       {last_outermost(program, RegionBasis::Events, only(program, by_events, communicates)),
        last_outermost(program, RegionBasis::Clock, only_regions(program, spans_by_clock(program))),
        last_outermost(program, RegionBasis::Ranges, by_ranges)})
    if (region.basis != RegionBasis::None) return region;
  TimedRegion guess = guess_region(program);
  bool communicated =
      guess.basis != RegionBasis::None && contains(program, {guess.first_step, guess.last_step}, communicates);
  TimedRegion computed = last_outermost(program, RegionBasis::Events, only(program, by_events, works_on_device));
  return communicated || computed.basis == RegionBasis::None ? guess : computed;
}

std::vector<Output> find_outputs(const Program& program) {
  if (program.timed_region.basis == RegionBasis::None) return {};
  OutputList outputs(program);
  add_copied(program, outputs);
  add_received(program, outputs);
  return outputs.take();
}

}  // namespace cuco::model
