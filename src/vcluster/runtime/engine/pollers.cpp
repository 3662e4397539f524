#include "vcluster/runtime/engine/pollers.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

// The entry points for looks hand on their three arguments, and as a fourth the stack with the registers that the
// program keeps across calls on top.
asm(R"(
.macro cuco_look name
.globl \name
.type \name, @function
\name:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rcx
  subq $8, %rsp
  call \name\()_from
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size \name, .-\name
.endm
.text
cuco_look cuco_poll
cuco_look cuco_swap_failed
cuco_look cuco_gin_read_signal
cuco_look cuco_gin_read_counter
cuco_look cuco_gin_read_va_signal
)");

namespace cuco::vcluster {

namespace {

constexpr uint8_t kRepeatsBeforeWaiting = 2;
constexpr uint32_t kReturnsMin = 2;  // Before a thread counts as one that goes round.

uint64_t value_at(const PollEntry& entry) {
  uint64_t value = 0;
  std::memcpy(&value, entry.address, entry.bytes);
  return value;
}

bool has_changed(const PollEntry& entry) { return value_at(entry) != entry.value; }

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

// Words that the thread looked at and that have changed since. Whether it looks at them again is not known: it may look
// once more at each of the others on its way to them, and does not wait for those that it leaves alone.
bool forget_changed(GpuThread& thread) {
  auto end = thread.polls.begin() + thread.poll_count;
  auto kept = std::remove_if(thread.polls.begin(), end, has_changed);
  if (kept == end) return false;
  for (auto one = thread.polls.begin(); one != kept; ++one) one->repeats = kRepeatsBeforeWaiting - 1;
  thread.poll_count = static_cast<uint8_t>(kept - thread.polls.begin());
  thread.poll_next = 0;
  return true;
}

uint64_t state_of(const Look& look) {
  std::string_view stack(look.stack, static_cast<size_t>(current_stack_top() - look.stack));
  return std::hash<std::string_view>()(stack) ^ reinterpret_cast<uintptr_t>(look.address) ^ look.value << 1;
}

// Finds a round of any length: the state to come back to is replaced after 1, 2, 4, ... looks.
void note_state(GpuThread& thread, uint64_t state) {
  if (state == thread.look_state) {
    thread.returns++;
    thread.looks_since = 0;
  } else if (++thread.looks_since >= thread.looks_until_replaced) {
    thread.look_state = state;
    thread.looks_since = thread.returns = 0;
    thread.looks_until_replaced *= 2;
  }
}

bool has_swapped(const Grid& grid, const void* address) {
  for (const Block* block : grid.running())
    for (const GpuThread& thread : block->threads())
      if (!thread.exited && std::find(thread.swapped.begin(), thread.swapped.end(), address) != thread.swapped.end())
        return true;
  return false;
}

// Some thread that still lives has changed the word by a swap, as the holder of a lock has.
bool is_held(const void* address) {
  for (const auto& device : world->devices)
    for (const auto& grid : device->grids())
      if (has_swapped(*grid, address)) return true;
  return false;
}

}  // namespace

void Pollers::note_swap(GpuThread& thread, const void* address) {
  swap_count_++;
  thread.swapped[thread.swap_next] = address;
  thread.swap_next = static_cast<uint8_t>((thread.swap_next + 1) % thread.swapped.size());
}

bool Pollers::all_retry_in_vain() const {
  std::set<uint64_t> free;  // Words known not to be held.
  for (const auto& [number, poller] : waiting_) {
    const ThreadWait& wait = poller.block->thread(poller.thread).wait;
    if (!wait.by_swap) return false;
    if (free.contains(wait.object)) continue;
    if (is_held(reinterpret_cast<const void*>(wait.object))) return false;
    free.insert(wait.object);
  }
  return !waiting_.empty();
}

bool Pollers::all_go_round() const {
  return std::all_of(waiting_.begin(), waiting_.end(), [](const auto& entry) {
    return entry.second.block->thread(entry.second.thread).returns >= kReturnsMin;
  });
}

void Pollers::look(const Look& look) {
  GpuThread& self = *current_thread;
  PollEntry* known = find(self, look.address);
  if (!known || known->value != look.value) {
    if (known) self.poll_count = self.poll_next = 0;
    remember(self, {look.address, look.value, static_cast<uint8_t>(look.bytes), 0});
    return;
  }
  ThreadWait wait = {WaitKind::Poll, reinterpret_cast<uintptr_t>(look.address), 0, look.value};
  wait.by_swap = look.by_swap;
  bool is_early = known->repeats < kRepeatsBeforeWaiting;
  if (is_early) known->repeats++;
  if (is_early || forget_changed(self)) {
    current_block->make_ready(self.index, world->now() + world->costs.flag_hop / 2 + 1);
  } else {
    note_state(self, state_of(look));
    add(self);
  }
  current_block->suspend(wait);
}

void Pollers::add(const GpuThread& thread) {
  uint64_t number = ++wait_count_;
  waiting_.emplace(number, Poller{current_block, thread.index});
  for (uint8_t i = 0; i < thread.poll_count; i++) {
    Watch& watch = watches_[{thread.polls[i].address, thread.polls[i].value}];
    watch.seen = thread.polls[i];
    watch.waiting.insert(number);
  }
}

// What nobody waits for is not looked at again: its memory may go.
void Pollers::wake(uint64_t number) {
  auto [block, index] = waiting_.at(number);
  waiting_.erase(number);
  const GpuThread& thread = block->thread(index);
  for (uint8_t i = 0; i < thread.poll_count; i++) {
    auto watch = watches_.find({thread.polls[i].address, thread.polls[i].value});
    watch->second.waiting.erase(number);
    if (watch->second.waiting.empty()) watches_.erase(watch);
  }
  block->make_ready(index, world->now() + world->costs.poll);
}

void Pollers::wake_changed() {
  std::set<uint64_t> due;
  for (const auto& [key, watch] : watches_)
    if (has_changed(watch.seen)) due.insert(watch.waiting.begin(), watch.waiting.end());
  for (uint64_t number : due) wake(number);
  if (!due.empty()) world->note_progress();
}

bool Pollers::wake_all() {
  std::map<uint64_t, Poller> woken = std::move(waiting_);
  waiting_.clear();
  watches_.clear();
  for (const auto& [number, poller] : woken) poller.block->make_ready(poller.thread, world->now());
  return !woken.empty();
}

Pollers& pollers() {
  static Pollers all;
  return all;
}

}  // namespace cuco::vcluster
