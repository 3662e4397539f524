#include "vcluster/runtime/pollers.h"

#include <algorithm>
#include <cstring>

#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

namespace {

constexpr uint8_t kRepeatsBeforeWaiting = 2;

uint64_t value_at(const PollEntry& entry) {
  uint64_t value = 0;
  std::memcpy(&value, entry.address, entry.bytes);
  return value;
}

bool has_changed(const GpuThread& thread) {
  for (uint8_t i = 0; i < thread.poll_count; i++)
    if (value_at(thread.polls[i]) != thread.polls[i].value) return true;
  return false;
}

PollEntry* find(GpuThread& thread, const void* address) {
  for (uint8_t i = 0; i < thread.poll_count; i++)
    if (thread.polls[i].address == address) return &thread.polls[i];
  return nullptr;
}

void remember(GpuThread& thread, const PollEntry& entry) {
  if (thread.poll_count < thread.polls.size()) {
    thread.polls[thread.poll_count++] = entry;
    return;
  }
  thread.polls[thread.poll_next] = entry;
  thread.poll_next = static_cast<uint8_t>((thread.poll_next + 1) % thread.polls.size());
}

}  // namespace

void Pollers::look(const void* address, uint64_t value, int bytes) {
  GpuThread& self = *current_thread;
  PollEntry* known = find(self, address);
  if (!known || known->value != value) {
    if (known) self.poll_count = self.poll_next = 0;
    remember(self, {address, value, static_cast<uint8_t>(bytes), 0});
    return;
  }
  uint64_t place = reinterpret_cast<uintptr_t>(address);
  if (known->repeats < kRepeatsBeforeWaiting) {
    known->repeats++;
    current_block->make_ready(self.index, world->now() + world->costs.flag_hop / 2 + 1);
    current_block->suspend({WaitKind::Poll, place, 0, value});
    return;
  }
  waiting_.push_back({current_block, self.index});
  current_block->suspend({WaitKind::Poll, place, 0, value});
}

void Pollers::wake_changed() {
  auto changed = [](const Poller& poller) {
    if (!has_changed(poller.block->thread(poller.thread))) return false;
    poller.block->make_ready(poller.thread, world->now());
    return true;
  };
  if (waiting_.empty()) return;
  size_t before = waiting_.size();
  std::erase_if(waiting_, changed);
  if (waiting_.size() < before) world->note_progress();
}

bool Pollers::wake_all() {
  std::vector<Poller> woken = std::move(waiting_);
  waiting_.clear();
  for (const Poller& poller : woken) poller.block->make_ready(poller.thread, world->now());
  return !woken.empty();
}

Pollers& pollers() {
  static Pollers all;
  return all;
}

}  // namespace cuco::vcluster
