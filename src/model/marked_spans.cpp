#include "model/marked_spans.h"

#include "model/step_facts.h"

namespace cuco::model {

namespace {

OperationKind kind_at(const Program& program, Index step) { return operation_at(program, step).kind; }

Index last_record(const Program& program, Index event, Index before) {
  for (Index step = before; step-- > 0;)
    if (kind_at(program, step) == OperationKind::EventRecord && program.steps[step].event == event) return step;
  return kNone;
}

bool is_under_condition(const Program& program, Index step) {
  return program.steps[step].conditional || !operation_at(program, step).conditions.empty();
}

// All that end with this read.
void add_clock_spans(const Program& program, Index last, std::vector<StepSpan>& spans) {
  size_t loops = program.steps[last].iterations.size();
  for (Index first = last; first-- > 0;) {
    if (kind_at(program, first) != OperationKind::ClockRead) continue;
    if (common_loop_count(program, first, last) < loops) continue;
    bool is_beside = program.steps[first].iterations.size() == loops;
    if (is_beside || is_under_condition(program, first)) spans.push_back({first, last});
    if (is_beside) return;
  }
}

}  // namespace

std::vector<StepSpan> spans_by_events(const Program& program) {
  std::vector<StepSpan> spans;
  for (Index step = 0; step < program.steps.size(); ++step) {
    const Operation& operation = operation_at(program, step);
    if (operation.kind != OperationKind::EventElapsed) continue;
    Index event = program.steps[step].event != kNone ? program.steps[step].event : operation.event;
    Index first = last_record(program, event, step);
    Index last = last_record(program, operation.end_event, step);
    if (event != kNone && operation.end_event != kNone && first != kNone && last != kNone && first < last)
      spans.push_back({first, last});
  }
  return spans;
}

std::vector<StepSpan> spans_by_clock(const Program& program) {
  std::vector<StepSpan> spans;
  for (Index step = 0; step < program.steps.size(); ++step)
    if (kind_at(program, step) == OperationKind::ClockRead) add_clock_spans(program, step, spans);
  return spans;
}

std::vector<StepSpan> spans_by_ranges(const Program& program) {
  std::vector<StepSpan> spans;
  std::vector<Index> open;
  for (Index step = 0; step < program.steps.size(); ++step) {
    if (kind_at(program, step) == OperationKind::RangeBegin) open.push_back(step);
    if (kind_at(program, step) != OperationKind::RangeEnd || open.empty()) continue;
    if (open.back() + 1 < step) spans.push_back({open.back() + 1, step - 1});
    open.pop_back();
  }
  return spans;
}

}  // namespace cuco::model
