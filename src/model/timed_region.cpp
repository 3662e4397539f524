#include "model/timed_region.h"

#include <algorithm>

#include "model/ordering.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

Index last_record(const Program& program, Index event, Index before) {
  for (Index step = before; step-- > 0;)
    if (operation_at(program, step).kind == OperationKind::EventRecord && program.steps[step].event == event)
      return step;
  return kNone;
}

// Spans whose elapsed time is read, in the order of the reads.
std::vector<TimedRegion> find_measured(const Program& program) {
  std::vector<TimedRegion> spans;
  for (Index step = 0; step < program.steps.size(); ++step) {
    const Operation& operation = operation_at(program, step);
    if (operation.kind != OperationKind::EventElapsed) continue;
    Index event = program.steps[step].event != kNone ? program.steps[step].event : operation.event;
    Index first = last_record(program, event, step);
    Index last = last_record(program, operation.end_event, step);
    if (event != kNone && operation.end_event != kNone && first != kNone && last != kNone && first < last)
      spans.push_back({RegionBasis::Events, first, last});
  }
  return spans;
}

template <typename Wanted>
bool contains(const Program& program, const TimedRegion& span, Wanted wanted) {
  for (Index step = span.first_step; step <= span.last_step; ++step)
    if (wanted(operation_at(program, step).kind)) return true;
  return false;
}

bool encloses(const TimedRegion& outer, const TimedRegion& inner) {
  bool equal = outer.first_step == inner.first_step && outer.last_step == inner.last_step;
  return !equal && outer.first_step <= inner.first_step && inner.last_step <= outer.last_step;
}

bool is_communication(OperationKind kind) { return kind == OperationKind::Communicate; }

bool is_compute_or_communication(OperationKind kind) {
  return kind == OperationKind::Launch || kind == OperationKind::Library || is_communication(kind);
}

template <typename Wanted>
TimedRegion last_outermost(const Program& program, std::vector<TimedRegion> spans, Wanted wanted) {
  std::erase_if(spans, [&](const TimedRegion& span) { return !contains(program, span, wanted); });
  for (size_t i = spans.size(); i-- > 0;) {
    auto around = [&](const TimedRegion& other) { return encloses(other, spans[i]); };
    if (std::none_of(spans.begin(), spans.end(), around)) return spans[i];
  }
  return {};
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

TimedRegion first_to_last(const Program& program) {
  TimedRegion region;
  for (Index step = 0; step < program.steps.size(); ++step) {
    if (!is_compute_or_communication(operation_at(program, step).kind)) continue;
    if (region.basis == RegionBasis::None) region = {RegionBasis::FirstToLast, step, step};
    region.last_step = step;
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
    if (is_communication(operation_at(program, step).kind) && receives(program, step)) last = exchanges[step];
  for (Index step = region.first_step; step <= region.last_step; ++step)
    if (exchanges[step] == last) outputs.add_all(step, writes, "received by the last communication of the region");
}

}  // namespace

TimedRegion find_timed_region(const Program& program) {
  if (TimedRegion region = called_by_harness(program); region.basis != RegionBasis::None) return region;
  std::vector<TimedRegion> measured = find_measured(program);
  TimedRegion region = last_outermost(program, measured, is_communication);
  if (region.basis == RegionBasis::None) region = last_outermost(program, measured, is_device_work);
  if (region.basis == RegionBasis::None) region = first_to_last(program);
  return region;
}

std::vector<Output> find_outputs(const Program& program) {
  if (program.timed_region.basis == RegionBasis::None) return {};
  OutputList outputs(program);
  add_copied(program, outputs);
  add_received(program, outputs);
  return outputs.take();
}

}  // namespace cuco::model
