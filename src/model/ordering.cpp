#include "model/ordering.h"

#include <algorithm>

#include "base/assert.h"
#include "model/step_facts.h"

namespace cuco::model {

namespace {

void advance(StepOrder::Clock& into, const StepOrder::Clock& other) {
  for (size_t lane = 0; lane < into.size(); ++lane) into[lane] = std::max(into[lane], other[lane]);
}

}  // namespace

std::vector<Index> find_exchanges(const Program& program) {
  std::vector<Index> exchanges(program.steps.size());
  uint32_t depth = 0;
  Index first = kNone;
  for (Index step = 0; step < program.steps.size(); ++step) {
    exchanges[step] = step;
    OperationKind kind = operation_at(program, step).kind;
    if (kind == OperationKind::GroupStart && depth++ == 0) first = kNone;
    if (kind == OperationKind::GroupEnd && depth > 0) --depth;
    if (kind != OperationKind::Communicate || depth == 0) continue;
    if (first == kNone) first = step;
    exchanges[step] = first;
  }
  return exchanges;
}

// Walks the steps once and gives each its place.
class Replay {
 public:
  Replay(const Program& program, std::vector<StepOrder::Place>& places) : program_(program), places_(places) {
    host_lane_ = static_cast<Index>(program.streams.size());
    default_lane_ = host_lane_ + 1;
    for (Index stream = host_lane_; stream-- > 0;)
      if (program.streams[stream].kind == StreamKind::Legacy) default_lane_ = stream;
    host_ = Clock(host_lane_ + 2, 0);
    tails_.assign(host_.size(), host_);
    events_.assign(program.events.size(), host_);
  }

  void run() {
    for (Index step = 0; step < program_.steps.size(); ++step) visit(step);
    // A group that is never closed in what could be seen still runs at some time.
    issue(grouped_);
  }

 private:
  using Clock = StepOrder::Clock;

  void visit(Index step) {
    const Operation& operation = operation_at(program_, step);
    switch (operation.kind) {
      case OperationKind::GroupStart:
        ++depth_;
        break;
      case OperationKind::GroupEnd:
        end_group();
        break;
      case OperationKind::EventRecord:
        record(step);
        break;
      case OperationKind::StreamWaitEvent:
        wait(step);
        break;
      default:
        if (operation.kind == OperationKind::Communicate && depth_ > 0)
          grouped_.push_back(step);
        else if (touches_buffers(program_, step))
          issue({step});
        else
          synchronise(step);
    }
  }

  void end_group() {
    if (depth_ > 0 && --depth_ > 0) return;
    issue(grouped_);
    grouped_.clear();
  }

  // Several steps at once are a group: NCCL makes all its streams wait for each other before and after.
  void issue(const std::vector<Index>& steps) {
    Clock start = host_;
    for (Index step : steps) advance(start, ready(lane_of(step)));
    Clock done = start;
    for (Index step : steps) {
      Index lane = lane_of(step);
      places_[step] = {lane, done[lane]++, start};
    }
    for (Index step : steps) {
      Index lane = lane_of(step);
      advance(tails_[lane], done);
      if (lane == host_lane_ || operation_at(program_, step).blocks_host) advance(host_, done);
    }
  }

  void record(Index step) {
    Index event = program_.steps[step].event;
    Index lane = lane_of(step);
    tails_[lane] = ready(lane);
    if (event < events_.size()) events_[event] = tails_[lane];
  }

  void wait(Index step) {
    Index event = program_.steps[step].event;
    Index lane = lane_of(step);
    tails_[lane] = ready(lane);
    if (event < events_.size()) advance(tails_[lane], events_[event]);
  }

  void synchronise(Index step) {
    const Step& wait = program_.steps[step];
    switch (operation_at(program_, step).sync) {
      case SyncScope::None:
        break;
      case SyncScope::Device:
        std::for_each(tails_.begin(), tails_.end(), [&](auto& tail) { advance(host_, tail); });
        break;
      case SyncScope::Stream:
        advance(host_, drained(lane_of(step)));
        break;
      case SyncScope::Event:
        if (wait.event < events_.size()) advance(host_, events_[wait.event]);
        break;
    }
  }

  // What is complete when work queued on the lane at this moment starts.
  Clock ready(Index lane) const {
    Clock clock = host_;
    advance(clock, tails_[lane]);
    if (is_legacy(lane)) {
      for (Index other = 0; other < tails_.size(); ++other)
        if (joins_legacy(other)) advance(clock, tails_[other]);
    } else if (joins_legacy(lane)) {
      for (Index other = 0; other < tails_.size(); ++other)
        if (is_legacy(other)) advance(clock, tails_[other]);
    }
    return clock;
  }

  // Waiting for the legacy stream waits for the blocking streams too; waiting for one of those waits for it alone.
  Clock drained(Index lane) const { return is_legacy(lane) ? ready(lane) : tails_[lane]; }

  bool is_legacy(Index lane) const {
    if (lane >= program_.streams.size()) return lane == default_lane_;
    return program_.streams[lane].kind == StreamKind::Legacy;
  }

  bool joins_legacy(Index lane) const {
    if (lane >= program_.streams.size()) return false;
    StreamKind kind = program_.streams[lane].kind;
    return kind != StreamKind::Legacy && kind != StreamKind::NonBlocking;
  }

  Index lane_of(Index step) const {
    Index stream = program_.steps[step].stream;
    if (stream < program_.streams.size()) return stream;
    OperationKind kind = operation_at(program_, step).kind;
    return kind == OperationKind::Mpi || kind == OperationKind::HostCallback ? host_lane_ : default_lane_;
  }

  const Program& program_;
  std::vector<StepOrder::Place>& places_;
  Index host_lane_;
  Index default_lane_;
  Clock host_;                 // What the host knows to be complete.
  std::vector<Clock> tails_;   // Per lane, what is complete when all that is queued on it is.
  std::vector<Clock> events_;  // Per event, what its latest record covers.
  std::vector<Index> grouped_;
  uint32_t depth_ = 0;
};

StepOrder::StepOrder(const Program& program) : places_(program.steps.size()) { Replay(program, places_).run(); }

bool StepOrder::happens_before(Index from, Index to) const {
  const Place& first = places_[from];
  const Place& second = places_[to];
  CUCO_ASSERT(first.lane != kNone && second.lane != kNone);
  return second.start[first.lane] > first.position;
}

}  // namespace cuco::model
