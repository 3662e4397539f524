#include "vcluster/runtime/stream.h"

#include "base/text.h"
#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

namespace {

void start_when_met(const OperationPtr& operation) {
  if (operation->unmet > 0 || operation->started) return;
  operation->started = true;
  world->events.at(world->now() + operation->delay, [operation] { operation->start(*operation); });
}

void depend(const OperationPtr& later, const OperationPtr& earlier) {
  if (!earlier || earlier->done) return;
  earlier->dependents.push_back(later);
  later->unmet++;
}

}  // namespace

void Operation::finish() {
  OperationPtr keep = std::move(self);
  done = true;
  end = world->now();
  world->note_progress();
  for (const OperationPtr& dependent : dependents) {
    dependent->unmet--;
    start_when_met(dependent);
  }
  dependents.clear();
  for (HostThread* host : waiting_hosts) world->wake(*host, world->now() + world->costs.stream_sync);
  waiting_hosts.clear();
}

// The legacy default stream comes after everything already on blocking streams, and they come after it.
OperationPtr Stream::submit(std::string what, Time delay, std::function<void(Operation&)> start) {
  auto operation = std::make_shared<Operation>();
  operation->what = std::move(what);
  operation->delay = last_ && !last_->done ? world->costs.kernel_gap : delay;
  operation->start = std::move(start);
  depend(operation, last_);
  for (const OperationPtr& event : extra_) depend(operation, event);
  extra_.clear();
  for (const std::unique_ptr<Stream>& other : device_.streams) {
    if (other.get() == this) continue;
    bool related = kind_ == StreamKind::Legacy ? other->kind_ == StreamKind::Blocking
                                               : kind_ == StreamKind::Blocking && other->kind_ == StreamKind::Legacy;
    if (related) depend(operation, other->last_);
  }
  last_ = operation->self = operation;
  start_when_met(operation);
  return operation;
}

void Stream::wait_for(const OperationPtr& operation) {
  if (operation && !operation->done) extra_.push_back(operation);
}

void wait_on_host(const OperationPtr& operation) {
  if (!operation || operation->done) return;
  operation->waiting_hosts.push_back(world->current_host);
  world->wait(concat(operation->what, " to end"));
}

}  // namespace cuco::vcluster
