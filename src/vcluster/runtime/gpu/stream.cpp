#include "vcluster/runtime/gpu/stream.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/checkers/host_access.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/gpu/graph.h"
#include "vcluster/runtime/timing/links.h"

namespace cuco::vcluster {

namespace {

void start_when_met(const OperationPtr& operation) {
  if (operation->unmet > 0 || operation->started) return;
  operation->started = true;
  operation->ready = world->now();
  world->events.at(std::max(operation->earliest, world->now() + operation->gap), [operation] {
    operation->begin = world->now();
    races().start_operation(operation->race_id);
    operation->start(*operation);
  });
}

void depend(const OperationPtr& later, const OperationPtr& earlier) {
  if (!earlier) return;
  later->after.push_back(earlier);
  races().order(earlier->race_id, later->race_id);
  if (world->options.check) later->known.merge(earlier->known);
  if (earlier->done) return;
  earlier->dependents.push_back(later);
  later->unmet++;
}

std::vector<WorkOrder::Sent> sent_over(bool between_nodes, const std::optional<model::Link>& link, double bytes,
                                       const Operation& operation) {
  std::vector<WorkOrder::Sent> all;
  if (!link) return all;
  for (const auto& [when, by_blocks] : operation.sent_by_blocks) {
    if (when.first != between_nodes) continue;
    all.push_back({between_nodes, when.second, wire_time(*link, by_blocks)});
    bytes -= by_blocks;
  }
  if (bytes > 0) all.push_back({between_nodes, 0, wire_time(*link, bytes)});
  return all;
}

size_t add_step(Operation& operation) {
  WorkOrder::Step step{operation.rank,
                       {operation.begin, operation.end},
                       operation.alone,
                       {operation.host_step},
                       std::move(operation.blocks)};
  for (const OperationPtr& earlier : operation.after) step.after.push_back(earlier->step);
  operation.after.clear();
  const model::Topology& topology = world->options.profile.topology;
  step.sent = sent_over(false, topology.inside, operation.work.inside_bytes, operation);
  std::ranges::move(sent_over(true, topology.between, operation.work.between_bytes, operation),
                    std::back_inserter(step.sent));
  return world->timeline.order().add(std::move(step));
}

}  // namespace

void Operation::finish() {
  OperationPtr keep = std::move(self);
  done = true;
  end = world->now();
  step = add_step(*this);
  races().end_operation(race_id);
  world->timeline.add_span(rank, Category::Launch, ready, begin);
  world->timeline.add_operation({rank, stream, begin, end, what, work});
  world->note_progress();
  for (const OperationPtr& dependent : dependents) {
    dependent->unmet--;
    start_when_met(dependent);
  }
  dependents.clear();
  for (HostThread* host : waiting_hosts) world->wake(*host, world->now() + world->costs.stream_sync);
  waiting_hosts.clear();
}

Stream::Stream(Device& device, StreamKind kind, int priority)
    : device_(device), kind_(kind), number_(static_cast<int>(device.streams.size())), priority_(priority) {}

// The legacy default stream comes after everything already on blocking streams, and they come after it.
OperationPtr Stream::submit(std::string what, Time delay, std::function<void(Operation&)> start, std::string place) {
  auto operation = std::make_shared<Operation>();
  operation->what = std::move(what);
  operation->place = std::move(place);
  operation->rank = device_.rank;
  operation->stream = number_;
  operation->earliest = world->now() + delay;
  operation->start = std::move(start);
  operation->host_step = world->current_host ? world->current_host->waited_step : WorkOrder::kNone;
  operation->race_id = races().begin_operation(this, device_.rank, operation->what + operation->place);
  depend(operation, last_);
  for (const OperationPtr& event : extra_) depend(operation, event);
  extra_.clear();
  for (const std::unique_ptr<Stream>& other : device_.streams) {
    if (other.get() == this) continue;
    bool related = kind_ == StreamKind::Legacy ? other->kind_ == StreamKind::Blocking
                                               : kind_ == StreamKind::Blocking && other->kind_ == StreamKind::Legacy;
    if (!related) continue;
    depend(operation, other->last_);
    for (const OperationPtr& event : other->extra_) depend(operation, event);
  }
  bool crosses_streams = operation->unmet > (last_ && !last_->done ? 1 : 0);
  if (delay > 0 && operation->unmet > 0)
    operation->gap = crosses_streams ? world->costs.event : world->costs.kernel_gap;
  operation->id = {this, ++submitted_};
  operation->known.add(operation->id);
  host_races().on_submit(*operation);
  last_ = operation->self = operation;
  start_when_met(operation);
  return operation;
}

OperationPtr Stream::issue(std::function<OperationPtr(Stream&)> work) {
  if (!capture) return work(*this);
  capture->record(*this, std::move(work));
  return nullptr;
}

void Stream::wait_for(const OperationPtr& operation) {
  if (operation) extra_.push_back(operation);
}

OperationPtr Stream::settle() {
  if (!extra_.empty()) submit("an event wait", 0, [](Operation& self) { self.finish(); });
  return last_;
}

void stand_still_until_done(const OperationPtr& keep) {
  if (!keep) return;
  Device& device = *world->devices[static_cast<size_t>(keep->rank)];
  HostThread& host = *world->current_host;
  world->settle_host_work();
  bool waits = !keep->done && device.sticky_error() == 0;
  Time asked = world->now();
  if (waits) {
    keep->waiting_hosts.push_back(&host);
    device.add_waiting(host, keep);
    world->wait(concat(keep->what, keep->place, " to end"));
    device.remove_waiting(host);
  }
  if (!keep->done) return;
  Time notices = waits ? world->costs.stream_sync : 0;
  host.waited_step = world->timeline.order().add(
      {keep->rank, {keep->end, world->now()}, 0, {host.waited_step, keep->step}, {}, asked, notices});
}

void wait_on_host(const OperationPtr& operation) {
  OperationPtr keep = operation;
  stand_still_until_done(keep);
  if (!keep || !keep->done) return;
  races().host_learns(keep->race_id);
  host_races().on_wait(*keep);
}

}  // namespace cuco::vcluster
