#include "vcluster/runtime/harness/plain_loop.h"

#include <algorithm>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/harness/harness.h"
#include "vcluster/runtime/harness/plain_inputs.h"
#include "vcluster/runtime/harness/plain_outputs.h"

namespace cuco::vcluster {

namespace {

const CallLoop& asked() { return world->options.harness.loop; }

bool repeats() { return asked().calls > 1; }

// A thread that is alone in its process drives all devices, also where it will start others or has joined them; one of
// several, or a rank of MPI, its own.
std::vector<Device*> devices_of(const HostThread& thread) {
  const Process& process = *thread.process;
  bool is_alone = std::ranges::all_of(process.threads, [&](const std::unique_ptr<HostThread>& other) {
    return other.get() == &thread || other->ended || other->is_spare;
  });
  if (!world->options.ranks_are_processes && is_alone) return process.devices;
  return {process.devices[static_cast<size_t>(thread.device)]};
}

void wait_for(const Device& device) {
  for (size_t i = 0; i < device.streams.size(); i++)
    if (!device.streams[i]->capture) wait_on_host(device.streams[i]->settle());
  learn_work_of(device);
}

}  // namespace

PlainLoop& plain_loop() {
  static PlainLoop run;
  return run;
}

PlainLoop::PlainLoop() : call_count_(asked()) {}

PlainLoop::Caller& PlainLoop::current() {
  for (const std::unique_ptr<Caller>& caller : callers_)
    if (caller->thread == world->current_host) return *caller;
  callers_.push_back(std::make_unique<Caller>());
  callers_.back()->thread = world->current_host;
  return *callers_.back();
}

void PlainLoop::begin(bool timed) {
  world->settle_host_work();
  Caller& self = current();
  self.is_timed = timed;
  self.devices = devices_of(*self.thread);
  if (asked().calls > 0 && self.calls > 0)
    world->pass_time(pause_before({self.calls, self.devices.front()->rank, world->devices.size(), longest_}));
  self.begin = world->now();
  if (asked().calls == 0 && !timed) return;
  for (const Device* device : self.devices) {
    spans_.try_emplace(device->rank, TimeSpan{self.begin, self.begin});
    if (repeats()) plain_inputs().begin_call(&self, device->rank, self.calls);
  }
}

bool PlainLoop::goes_on() {
  world->settle_host_work();
  Caller& self = current();
  if (self.is_timed) take_time(self);
  if (asked().calls > 0) end_call(self);
  self.calls++;
  return repeats() && call_count_.goes_on(self.calls, operations_done());
}

bool PlainLoop::last_goes_on() {
  if (goes_on()) return true;
  Caller& self = current();
  self.is_over = true;
  if (self.is_timed) end_if_over();
  return false;
}

void PlainLoop::on_elapsed() {
  for (const std::unique_ptr<Caller>& caller : callers_)
    if (caller->thread == world->current_host && caller->is_over) return end_if_over();
}

// Others get the time to come out of the region and to read their events. Who does not has something to do that this
// rank waits for.
void PlainLoop::end_if_over() {
  constexpr Time kRest = kSecond / 2;
  if (!world->options.sample || asked().calls > 0) return;
  world->pass_time(kRest);
  bool all_came = callers_.size() >= world->processes.size();
  if (all_came && std::ranges::all_of(callers_, [](const auto& each) { return each->is_over; }))
    world->end_run("ok", 0);
}

// Where the region was repeated, its first call is the program's own.
void PlainLoop::take_time(const Caller& self) {
  for (const Device* device : self.devices) {
    wait_for(*device);
    if (repeats() && self.calls > 0) continue;
    TimeSpan& longest = timed_[device->rank];
    if (world->now() - self.begin > longest.end - longest.begin) longest = {self.begin, world->now()};
    plain_outputs().on_marked(device->rank);
  }
}

void PlainLoop::end_call(Caller& self) {
  for (const Device* device : self.devices) {
    if (repeats()) wait_for(*device);
    if (repeats()) plain_outputs().end_call(&self, device->rank, self.calls);
    if (auto span = spans_.find(device->rank); span != spans_.end()) span->second.end = world->now();
  }
  if (self.calls == 0) longest_ = std::max(longest_, world->now() - self.begin);
}

void PlainLoop::on_new_slot(int rank) {
  for (const std::unique_ptr<Caller>& caller : callers_)
    for (const Device* device : caller->devices)
      if (device->rank == rank) call_count_.on_new_slot(caller->calls);
}

bool PlainLoop::runs() const { return repeats() && !spans_.empty(); }

bool PlainLoop::is_in(int rank, Time at) const {
  auto span = spans_.find(rank);
  return span != spans_.end() && at >= span->second.begin && at <= span->second.end;
}

Time PlainLoop::begin_of(int rank) const {
  auto span = spans_.find(rank);
  return span == spans_.end() ? world->timeline.region_begin(rank) : span->second.begin;
}

uint32_t PlainLoop::call_count() const {
  uint32_t made = callers_.empty() ? 0 : UINT32_MAX;
  for (const std::unique_ptr<Caller>& caller : callers_) made = std::min(made, caller->calls);
  return made;
}

void PlainLoop::fill(RunReport& report) const {
  if (!callers_.empty()) report.calls = call_count();
  report.calls_were_cut = repeats() && call_count_.is_short();
  for (const auto& [rank, span] : timed_) world->timeline.set_region(rank, span.begin, span.end);
}

uint32_t looped_calls() {
  bool is_plain = world->options.harness.plain && asked().calls > 0;
  return is_plain ? plain_loop().call_count() : harness().call_count();
}

}  // namespace cuco::vcluster

extern "C" {

void cuco_region_begins() { cuco::vcluster::plain_loop().begin(false); }
void cuco_timed_region_begins() { cuco::vcluster::plain_loop().begin(true); }
int cuco_region_goes_on() { return cuco::vcluster::plain_loop().goes_on() ? 1 : 0; }
int cuco_last_region_goes_on() { return cuco::vcluster::plain_loop().last_goes_on() ? 1 : 0; }
}
