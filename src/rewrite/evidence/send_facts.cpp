#include "rewrite/evidence/send_facts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "footprint/block_accesses.h"
#include "rewrite/evidence/slice_facts.h"

namespace cuco::rewrite {

namespace {

using footprint::count_from_pointer;
using footprint::written_tiles;
using Steps = std::vector<TracedStep>;
using Calls = std::vector<PairwiseCall>;

constexpr size_t kHeldMax = 8;     // Launches that a call has held back, as sending.cuh has it.
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
  auto found =
      std::ranges::find_if(calls, [&](const PairwiseCall& call) { return same_place(step.place, call.place); });
  return step.is_launch || found == calls.end() ? nullptr : &*found;
}

bool sends_to_peer(const TracedStep& step, const Calls& calls) {
  return call_at(step, calls) && step.call.collective == Collective::Send && step.call.peer != step.call.rank;
}

void add_call(CallRun& run, const TracedStep& step, const Calls& calls) {
  const TracedCall& call = step.call;
  if (sends_to_peer(step, calls))
    run.sent.push_back({call.send.buffer, call.send.offset, call.send.offset + call.bytes});
  if (call.collective == Collective::Recv)
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

// Without accesses where they lie behind no pointer.
TracedShape shape_of(const Feeding& feeding) {
  const TracedLaunch& launch = feeding.step->launch;
  TracedShape shape{launch.grid, launch.block, {}, launch.numbers};
  for (uint32_t buffer : feeding.buffers) {
    Access tiles = written_tiles(launch, buffer);
    if (!count_from_pointer(launch, buffer, tiles.offset, tiles)) return {launch.grid, launch.block};
    shape.accesses.push_back(tiles);
  }
  sort_accesses(shape.accesses);
  return shape;
}

// A launch in the source with the shapes that it was traced in.
struct Sender {
  SendingLaunch launch;
  std::vector<TracedShape> shapes = {};
};

std::string add_shape(std::vector<TracedShape>& shapes, const TracedLaunch& launch, const TracedShape& shape) {
  if (shape.accesses.empty()) return "it writes before the first pointer that it gets";
  TracedShape* known = shape_of(shapes, launch);
  if (!known) shapes.push_back(shape);
  if (shapes.size() > kShapesMax) return "its launches have too many shapes";
  if (!known) return "";
  if (known->accesses != shape.accesses) return "launches of one shape write other bytes";
  known->keep_common(shape.numbers);
  return "";
}

Sender& sender_of(std::vector<Sender>& all, const TracedStep& step) {
  for (Sender& one : all)
    if (same_place(one.launch.place, step.place)) return one;
  all.push_back({{step.place, step.launch.kernel, ""}});
  return all.back();
}

void add_run(std::vector<Sender>& all, const AccessTrace& trace, const Calls& calls) {
  for (const Feeding& feeding : feeding_in(trace, calls)) {
    Sender& sender = sender_of(all, *feeding.step);
    std::string& obstacle = sender.launch.obstacle;
    if (obstacle.empty()) obstacle = feeding.obstacle;
    if (obstacle.empty()) obstacle = add_shape(sender.shapes, feeding.step->launch, shape_of(feeding));
  }
}

// Launches of other sizes with the same grid show which of their numbers are of no matter.
void add_further(std::vector<Sender>& all, const AccessTrace& trace, const Calls& calls) {
  for (const Feeding& feeding : feeding_in(trace, calls))
    for (Sender& sender : all) {
      if (!same_place(sender.launch.place, feeding.step->place) || !feeding.obstacle.empty()) continue;
      TracedShape shape = shape_of(feeding), *known = shape_of(sender.shapes, feeding.step->launch);
      if (known && known->accesses == shape.accesses) known->keep_common(shape.numbers);
    }
}

// Of the launches at a place; nothing where one of them has an obstacle or writes behind no pointer.
std::optional<std::vector<AccessSample>> samples_in(const AccessTrace& trace, const std::string& place,
                                                    const Calls& calls) {
  std::vector<AccessSample> samples;
  for (const Feeding& feeding : feeding_in(trace, calls)) {
    if (!same_place(place, feeding.step->place)) continue;
    TracedShape shape = shape_of(feeding);
    if (!feeding.obstacle.empty() || shape.accesses.empty()) return std::nullopt;
    samples.push_back({&feeding.step->launch, std::move(shape.accesses)});
  }
  return samples;
}

void generalise(SendingLaunch& launch, const AccessTrace& trace, const Calls& calls) {
  std::vector<AccessSample> own, further;
  auto add = [&](std::vector<AccessSample>& to, const AccessTrace& run) {
    std::optional<std::vector<AccessSample>> samples = samples_in(run, launch.place, calls);
    if (samples) to.insert(to.end(), samples->begin(), samples->end());
    return samples.has_value();
  };
  bool holds = true;
  for_each_run(trace, [&](const AccessTrace& run, bool is_own) { holds = holds && add(is_own ? own : further, run); });
  if (!holds) return;
  if (std::optional<AccessForm> form = sized_sends(own, further)) launch.forms = {*form};
}

// Bytes that no block or several write are only bounded, which one size says nothing about at another.
bool are_filled_alike(const std::vector<AccessSample>& all) {
  auto same_pointer = [](const Access& a, const Access& b) { return a.is_behind(b) && a.filled > 0 && b.filled > 0; };
  return std::ranges::all_of(all, [&](const AccessSample& one) {
    return std::equal(one.accesses.begin(), one.accesses.end(), all[0].accesses.begin(), all[0].accesses.end(),
                      same_pointer);
  });
}

// The access number `which` of all launches, as pieces wherever one of them has several.
std::vector<std::optional<Access>> column_of(const std::vector<AccessSample>& all, size_t which) {
  std::vector<std::optional<Access>> column;
  int64_t piece_bytes = 0;
  for (const AccessSample& one : all) {
    column.emplace_back(one.accesses[which]);
    if (piece_bytes == 0 && column.back()->count > 1) piece_bytes = column.back()->bytes;
  }
  for (std::optional<Access>& access : column) split_run(*access, piece_bytes);
  return column;
}

int slowest_dimension(const TracedLaunch& launch) { return launch.grid[2] > 1 ? 2 : launch.grid[1] > 1 ? 1 : 0; }

}  // namespace

std::optional<AccessForm> sized_sends(const std::vector<AccessSample>& own, const std::vector<AccessSample>& further) {
  std::vector<AccessSample> all = own;
  all.insert(all.end(), further.begin(), further.end());
  std::vector<const TracedLaunch*> launches = launches_of(all);
  bool is_shown = !own.empty() && count_others(launches_of(own), launches_of(further)) >= footprint::kFurtherMin;
  if (!is_shown || !are_filled_alike(all) || !can_be_compared(launches)) return std::nullopt;
  std::vector<footprint::AccessColumn> columns;
  for (size_t which = 0; which < own[0].accesses.size(); which++) columns.push_back({column_of(all, which)});
  return form_over(launches, slowest_dimension(*launches[0]), columns);
}

std::vector<SendingLaunch> sending_launches(const AccessTrace& trace, const Calls& calls) {
  std::vector<Sender> all;
  for_each_run(trace, [&](const AccessTrace& run, bool is_own) {
    is_own ? add_run(all, run, calls) : add_further(all, run, calls);
  });
  std::vector<SendingLaunch> launches;
  for (auto& [launch, shapes] : all) {
    std::string difference = difference_at(trace.varying, launch.place);
    if (launch.obstacle.empty() && !difference.empty())
      launch.obstacle = concat("its blocks write other bytes ", difference);
    for (const TracedShape& shape : shapes) launch.forms.push_back(exactly(shape));
    if (launch.obstacle.empty()) generalise(launch, trace, calls);
    bool is_shown = !launch.forms.empty() && launch.forms[0].at_other_sizes;
    if (launch.obstacle.empty() && trace.is_case && !is_shown)
      launch.obstacle = "no product of its launch's numbers gives what its blocks write at all traced sizes";
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace cuco::rewrite
