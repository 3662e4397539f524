#include "rewrite/evidence/send_facts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/program.h"
#include "rewrite/evidence/slice_facts.h"
#include "rewrite/evidence/traced_sends.h"

namespace cuco::rewrite {

namespace {

using model::AccessTrace;
using model::Footprint;
using model::TracedBlock;
using model::TracedCall;
using model::TracedLaunch;
using model::TracedNumber;
using model::TracedPointer;
using model::TracedStep;
using Steps = std::vector<TracedStep>;
using Calls = std::vector<PairwiseCall>;

constexpr size_t kHeldMax = 8;     // Launches that a call has held back, as sections/sending.cuh has it.
constexpr size_t kShapesMax = 16;  // Of one launch in the source.

struct Range {
  uint32_t buffer;
  uint64_t begin, end;

  bool meets(const Footprint& print) const {
    return print.buffer == buffer && print.begin < end && begin < print.end();
  }
};

// The calls of one exchange, or of several with the same group and nothing between them.
struct CallRun {
  size_t first;
  std::vector<Range> sent, received;
};

struct Feeding {
  const TracedStep* step;
  std::string obstacle;
  std::set<uint32_t> buffers;  // That sends take, of those that it writes.
};

const PairwiseCall* call_at(const TracedStep& step, const Calls& calls) {
  auto found = std::find_if(calls.begin(), calls.end(),
                            [&](const PairwiseCall& call) { return same_place(step.place, call.place); });
  return step.is_launch || found == calls.end() ? nullptr : &*found;
}

bool sends_to_peer(const TracedStep& step, const Calls& calls) {
  return call_at(step, calls) && step.call.collective == model::Collective::Send && step.call.peer != step.call.rank;
}

void add_call(CallRun& run, const TracedStep& step, const Calls& calls) {
  const TracedCall& call = step.call;
  if (sends_to_peer(step, calls))
    run.sent.push_back({call.send.buffer, call.send.offset, call.send.offset + call.bytes});
  if (call.collective == model::Collective::Recv)
    run.received.push_back({call.receive.buffer, call.receive.offset, call.receive.offset + call.bytes});
}

const TracedStep* step_before(const Steps& steps, size_t at) {
  for (size_t i = at; i-- > 0;)
    if (steps[i].stream == steps[at].stream) return &steps[i];
  return nullptr;
}

// With those that only receive left out.
std::vector<CallRun> call_runs(const Steps& steps, const Calls& calls) {
  std::vector<CallRun> runs;
  for (size_t i = 0; i < steps.size(); i++) {
    const PairwiseCall* call = call_at(steps[i], calls);
    if (!call) continue;
    const TracedStep* before = step_before(steps, i);
    const PairwiseCall* last = before ? call_at(*before, calls) : nullptr;
    bool goes_on = last && last->group == call->group && call->group != model::kNone;
    if (!goes_on || runs.empty()) runs.push_back({i, {}, {}});
    add_call(runs.back(), steps[i], calls);
  }
  std::erase_if(runs, [](const CallRun& run) { return run.sent.empty(); });
  return runs;
}

bool touches(const TracedLaunch& launch, const std::vector<Range>& ranges, bool only_writes) {
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints)
      for (const Range& range : ranges)
        if (range.meets(print) && (print.written || !only_writes)) return true;
  return false;
}

std::string obstacle_in(const TracedLaunch& launch, const CallRun& run, const std::set<uint32_t>& buffers) {
  if (touches(launch, run.received, false)) return "it touches what is received with what it sends";
  for (const TracedBlock& block : launch.blocks) {
    if (block.reaches_elsewhere) return "it writes memory that is no buffer of its device";
    for (uint32_t buffer : block.updated)
      if (buffers.contains(buffer)) return "its blocks change what is sent by atomic operations";
  }
  return "";
}

std::set<uint32_t> written_buffers(const TracedLaunch& launch, const std::set<uint32_t>& sent) {
  std::set<uint32_t> buffers;
  for (const TracedBlock& block : launch.blocks)
    for (const Footprint& print : block.footprints)
      if (print.written && sent.contains(print.buffer)) buffers.insert(print.buffer);
  return buffers;
}

// The launches before a run of calls, up to the first that writes nothing of what these send.
void add_feeding(const Steps& steps, const CallRun& run, const std::set<uint32_t>& sent, std::vector<Feeding>& all) {
  size_t count = 0;
  for (size_t i = run.first; i-- > 0 && count < kHeldMax;) {
    if (steps[i].stream != steps[run.first].stream) continue;
    if (!steps[i].is_launch || !touches(steps[i].launch, run.sent, true)) return;
    std::set<uint32_t> buffers = written_buffers(steps[i].launch, sent);
    all.push_back({&steps[i], obstacle_in(steps[i].launch, run, buffers), buffers});
    count++;
  }
}

std::vector<Feeding> feeding_in(const AccessTrace& trace, const Calls& calls) {
  std::vector<Feeding> all;
  for (const Steps& steps : trace.ranks) {
    std::set<uint32_t> sent;
    for (const TracedStep& step : steps)
      if (sends_to_peer(step, calls)) sent.insert(step.call.send.buffer);
    for (const CallRun& run : call_runs(steps, calls)) add_feeding(steps, run, sent, all);
  }
  return all;
}

// The last pointer into the buffer that is not behind `offset`.
const TracedPointer* pointer_before(const TracedLaunch& launch, uint32_t buffer, int64_t offset) {
  const TracedPointer* best = nullptr;
  for (const TracedPointer& pointer : launch.pointers)
    if (pointer.buffer == buffer && static_cast<int64_t>(pointer.offset) <= offset &&
        (!best || pointer.offset > best->offset))
      best = &pointer;
  return best;
}

// Without tiles where they lie behind no pointer.
SendShape shape_of(const Feeding& feeding) {
  const TracedLaunch& launch = feeding.step->launch;
  SendShape shape{launch.grid, launch.block, {}, launch.numbers};
  for (uint32_t buffer : feeding.buffers) {
    WrittenTiles tiles = written_tiles(launch, buffer);
    const TracedPointer* pointer = pointer_before(launch, buffer, tiles.offset);
    if (!pointer) return {launch.grid, launch.block, {}, {}};
    tiles.parameter = pointer->parameter, tiles.field = pointer->field;
    tiles.offset -= static_cast<int64_t>(pointer->offset);
    shape.tiles.push_back(tiles);
  }
  std::sort(shape.tiles.begin(), shape.tiles.end(), [](const WrittenTiles& a, const WrittenTiles& b) {
    return std::pair(a.parameter, a.field) < std::pair(b.parameter, b.field);
  });
  return shape;
}

// Numbers that launches of one shape do not have in common are of no matter.
void keep_common(std::vector<TracedNumber>& numbers, const std::vector<TracedNumber>& others) {
  std::erase_if(numbers,
                [&](const TracedNumber& one) { return std::find(others.begin(), others.end(), one) == others.end(); });
}

SendShape* with_extents(std::vector<SendShape>& shapes, const SendShape& like) {
  auto found = std::find_if(shapes.begin(), shapes.end(),
                            [&](const SendShape& one) { return one.grid == like.grid && one.block == like.block; });
  return found == shapes.end() ? nullptr : &*found;
}

std::string add_shape(std::vector<SendShape>& shapes, const SendShape& shape) {
  if (shape.tiles.empty()) return "it writes before the first pointer that it gets";
  SendShape* known = with_extents(shapes, shape);
  if (!known) shapes.push_back(shape);
  if (shapes.size() > kShapesMax) return "its launches have too many shapes";
  if (!known) return "";
  if (known->tiles != shape.tiles) return "launches of one shape write other bytes";
  keep_common(known->numbers, shape.numbers);
  return "";
}

SendingLaunch& launch_of(std::vector<SendingLaunch>& all, const TracedStep& step) {
  for (SendingLaunch& one : all)
    if (same_place(one.place, step.place)) return one;
  all.push_back({step.place, step.launch.kernel, "", {}});
  return all.back();
}

void add_run(std::vector<SendingLaunch>& all, const AccessTrace& trace, const Calls& calls) {
  for (const Feeding& feeding : feeding_in(trace, calls)) {
    SendingLaunch& launch = launch_of(all, *feeding.step);
    if (launch.obstacle.empty()) launch.obstacle = feeding.obstacle;
    if (launch.obstacle.empty()) launch.obstacle = add_shape(launch.shapes, shape_of(feeding));
  }
}

// Launches of other sizes with the same grid show which of their numbers are of no matter.
void add_further(std::vector<SendingLaunch>& all, const AccessTrace& trace, const Calls& calls) {
  for (const Feeding& feeding : feeding_in(trace, calls))
    for (SendingLaunch& launch : all) {
      if (!same_place(launch.place, feeding.step->place) || !feeding.obstacle.empty()) continue;
      SendShape shape = shape_of(feeding), *known = with_extents(launch.shapes, shape);
      if (known && known->tiles == shape.tiles) keep_common(known->numbers, shape.numbers);
    }
}

// Of the launches at a place; nothing where one of them has an obstacle or writes behind no pointer.
std::optional<std::vector<SendSample>> samples_in(const AccessTrace& trace, const std::string& place,
                                                  const Calls& calls) {
  std::vector<SendSample> samples;
  for (const Feeding& feeding : feeding_in(trace, calls)) {
    if (!same_place(place, feeding.step->place)) continue;
    SendShape shape = shape_of(feeding);
    if (!feeding.obstacle.empty() || shape.tiles.empty()) return std::nullopt;
    samples.push_back({&feeding.step->launch, std::move(shape.tiles)});
  }
  return samples;
}

void generalise(SendingLaunch& launch, const AccessTrace& trace, const Calls& calls) {
  std::vector<SendSample> own, further;
  auto add = [&](std::vector<SendSample>& to, const AccessTrace& run) {
    std::optional<std::vector<SendSample>> samples = samples_in(run, launch.place, calls);
    if (samples) to.insert(to.end(), samples->begin(), samples->end());
    return samples.has_value();
  };
  bool holds = add(own, trace);
  for (const AccessTrace& repeat : trace.repeats) holds = holds && add(own, repeat);
  for (const AccessTrace& other : trace.further) holds = holds && add(further, other);
  if (holds) launch.sized = sized_shape(own, further);
}

}  // namespace

std::vector<SendingLaunch> sending_launches(const AccessTrace& trace, const Calls& calls) {
  std::vector<SendingLaunch> all;
  add_run(all, trace, calls);
  for (const AccessTrace& repeat : trace.repeats) add_run(all, repeat, calls);
  for (const AccessTrace& further : trace.further) add_further(all, further, calls);
  for (const model::VaryingPlace& one : trace.varying)
    for (SendingLaunch& launch : all)
      if (launch.obstacle.empty() && same_place(one.place, launch.place))
        launch.obstacle = concat("its blocks write other bytes ", one.difference);
  for (SendingLaunch& launch : all)
    if (launch.obstacle.empty()) generalise(launch, trace, calls);
  return all;
}

}  // namespace cuco::rewrite
