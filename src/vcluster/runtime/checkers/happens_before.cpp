#include "vcluster/runtime/checkers/happens_before.h"

#include <algorithm>

#include "vcluster/runtime/device.h"
#include "vcluster/runtime/world.h"

namespace cuco::vcluster {

namespace {

bool is_shared_address(uintptr_t address) { return address >= kSharedBase && address < kSharedEnd; }

bool is_device_variable(uintptr_t address) {
  const Grid& grid = current_block->grid();
  const Process& process = *grid.launch().process;
  auto begin = reinterpret_cast<uintptr_t>(process.device_copies.at(&grid.device()));
  return address >= begin && address < begin + process.device_bytes;
}

uint8_t byte_mask(uintptr_t word, uintptr_t begin, uintptr_t end) {
  uint8_t mask = 0;
  for (unsigned i = 0; i < RaceShadow::kWord; i++)
    if (word + i >= begin && word + i < end) mask = static_cast<uint8_t>(mask | 1u << i);
  return mask;
}

bool is_put(const Actor& actor) { return actor.kind == ActorKind::PutSource || actor.kind == ActorKind::PutTarget; }

}  // namespace

HappensBefore& races() {
  static HappensBefore all;
  return all;
}

bool HappensBefore::enabled() { return world->options.check; }

void HappensBefore::on_access(const Access& access) {
  if (!enabled() || !current_block || !is_tracked(access.address)) return;
  BlockClock& block = clock_of(*current_block);
  uint32_t thread = current_thread->index;
  if (is_atomic(access.kind)) synchronise(access, block);
  const ThreadClock& view = block.view(thread);
  Viewer viewer = {epoch_of(block, thread), view.known.get(), block.weak.get()};
  check(viewer, access.address, access.bytes, access.kind, access.site);
}

void HappensBefore::access_by(uint32_t id, const void* address, size_t bytes, AccessKind kind) {
  auto begin = reinterpret_cast<uintptr_t>(address);
  if (id == 0 || device_of(begin) < 0 || !is_tracked(begin)) return;
  const Actor& actor = actors_[id];
  const VectorClock* weak = actor.learnt ? actor.learnt.get() : actor.start.get();
  check({{id, 0, 1, 0}, actor.start.get(), weak}, begin, bytes, kind, nullptr);
  // What a copy or a put stores carries no order of its own.
  if (is_write(kind) && bytes <= 8) flags_.erase(begin);
}

// Memory of device communicators belongs to NCCL, whose accesses are its own affair.
bool HappensBefore::is_tracked(uintptr_t address) {
  if (is_shared_address(address)) return true;
  int rank = device_of(address);
  if (rank < 0) return current_block && is_device_variable(address);
  if (static_cast<size_t>(rank) >= world->devices.size()) return false;
  if (!last_allocation_ || address - last_allocation_->begin >= last_allocation_->bytes)
    last_allocation_ = world->devices[static_cast<size_t>(rank)]->memory.find(address);
  return last_allocation_ && !last_allocation_->freed && last_allocation_->what != "ncclDevCommCreate";
}

void HappensBefore::check(const Viewer& viewer, uintptr_t address, size_t bytes, AccessKind kind,
                          const AccessSite* site) {
  uintptr_t end = address + bytes;
  for (uintptr_t word = address & ~(RaceShadow::kWord - 1); word < end; word += RaceShadow::kWord)
    check_word(viewer, word, {viewer.epoch, site, byte_mask(word, address, end), kind});
}

bool HappensBefore::is_known(const Viewer& viewer, const Epoch& epoch) const {
  if (epoch.actor == viewer.epoch.actor && epoch.thread == viewer.epoch.thread) return true;
  return viewer.known && actors_.is_known(*viewer.known, epoch);
}

bool HappensBefore::conflicts(const Viewer& viewer, const AccessRecord& before, const AccessRecord& now,
                              bool is_shared) const {
  if (before.epoch.actor == 0 || (before.bytes & now.bytes) == 0) return false;
  if (is_atomic(before.kind) && is_atomic(now.kind)) return false;
  // Shared memory is handed from block to block: what an earlier one left in it is nothing to this one.
  if (is_shared &&
      (before.epoch.actor != now.epoch.actor || actors_.block_key(before.epoch) != actors_.block_key(now.epoch)))
    return false;
  return !is_known(viewer, before.epoch);
}

void HappensBefore::check_word(const Viewer& viewer, uintptr_t word, const AccessRecord& now) {
  ShadowCell& cell = shadow_.cell(word);
  bool is_shared = is_shared_address(word);
  if (conflicts(viewer, cell.write, now, is_shared)) report(viewer, word, cell.write, now);
  if (is_write(now.kind)) {
    for (AccessRecord& read : cell.reads) {
      if (conflicts(viewer, read, now, is_shared)) report(viewer, word, read, now);
      read = AccessRecord();
    }
    cell.write = now;
    return;
  }
  bool first_is_free = cell.reads[0].epoch.actor == 0 || is_known(viewer, cell.reads[0].epoch);
  cell.reads[first_is_free ? 0 : 1] = now;
}

void HappensBefore::report(const Viewer& viewer, uintptr_t word, const AccessRecord& before, const AccessRecord& now) {
  report_.add(classify(viewer, before, now), actors_, before, now, word);
}

const char* HappensBefore::classify(const Viewer& viewer, const AccessRecord& before, const AccessRecord& now) const {
  const Actor& earlier = actors_[before.epoch.actor];
  const Actor& later = actors_[now.epoch.actor];
  if (earlier.kind == ActorKind::PutSource) return "source_reuse";
  if (later.kind == ActorKind::PutSource && earlier.rank == later.rank && !is_put(earlier)) return "missing_fence";
  if (earlier.rank == later.rank && !is_put(earlier) && !is_put(later)) return "gpu_race";
  if (viewer.weak && actors_.is_weakly_known(*viewer.weak, before.epoch)) return "missing_fence";
  if (only_its_block_waited(now.epoch, before.epoch) || only_its_block_waited(before.epoch, now.epoch))
    return "missing_fence";
  return "window_race";
}

// Whether another thread of the block waits for the signal of the put, and no block barrier told this one of it.
bool HappensBefore::only_its_block_waited(const Epoch& thread, const Epoch& put) const {
  if (actors_[thread.actor].kind != ActorKind::Kernel || !actors_[put.actor].signal) return false;
  auto wait = waits_.find({actors_[put.actor].signal, actors_.block_key(thread)});
  return wait != waits_.end() && wait->second.thread != thread.thread && thread.interval <= wait->second.end_interval;
}

HappensBefore::BlockClock& HappensBefore::clock_of(const Block& block) {
  if (&block == last_block_) return *last_clock_;
  Kernel& kernel = kernels_[block.grid().number()];
  BlockClock& clock = kernel.blocks[block.index()];
  if (clock.own.empty()) {
    clock.actor = kernel.actor;
    clock.index = block.index();
    const ClockPtr& base = actors_[kernel.actor].start;
    clock.weak = clock.common.known = base;
    // What was over before the kernel began needs no fence any more.
    clock.common.fenced_block = clock.common.fenced_device = clock.common.fenced_system = base;
    clock.own.resize(block.grid().threads_per_block());
  }
  last_block_ = &block, last_clock_ = &clock;
  return clock;
}

Epoch HappensBefore::epoch_of(const BlockClock& block, uint32_t thread) const {
  uint64_t first = block.index * block.own.size();
  return {block.actor, static_cast<uint32_t>(first + thread), block.view(thread).clock, block.interval};
}

ThreadClock& HappensBefore::advance(BlockClock& block, uint32_t thread) {
  Epoch now = epoch_of(block, thread);
  ThreadClock& clock = block.change(thread);
  clock.known = raised(clock.known, key_of(Component::Thread, now.actor, now.thread), now.clock);
  clock.clock++;
  return clock;
}

void HappensBefore::start_kernel(uint32_t id, const Grid& grid) {
  if (id == 0) return;
  actors_[id].kind = ActorKind::Kernel;
  actors_[id].threads_per_block = grid.threads_per_block();
  kernels_[grid.number()].actor = id;
}

void HappensBefore::end_block(const Block& block) {
  if (!enabled()) return;
  BlockClock& clock = clock_of(block);
  Actor& actor = actors_[clock.actor];
  // The end of a kernel acquires whatever its threads have seen.
  clock.common.fence(AccessScope::System);
  actor.learnt = joined(actor.learnt, clock.common.known);
  for (const std::unique_ptr<ThreadClock>& own : clock.own) {
    if (!own) continue;
    own->fence(AccessScope::System);
    actor.learnt = joined(actor.learnt, own->known);
  }
  Kernel& kernel = kernels_[block.grid().number()];
  kernel.blocks.erase(block.index());
  last_block_ = nullptr;
}

void HappensBefore::block_barrier(Block& block, const std::vector<uint32_t>& waiting, bool whole) {
  if (!enabled()) return;
  BlockClock& clock = clock_of(block);
  if (whole) return meet_all(clock);
  std::vector<uint32_t> members = waiting;
  members.push_back(current_thread->index);
  meet_some(clock, members);
}

void HappensBefore::warp_meeting(Block& block, uint32_t warp, unsigned lanes) {
  if (!enabled()) return;
  BlockClock& clock = clock_of(block);
  std::vector<uint32_t> members;
  for (uint32_t lane = 0; lane < 32; lane++)
    if (lanes >> lane & 1) members.push_back(32 * warp + lane);
  if (members.size() == clock.own.size()) return meet_all(clock);
  meet_some(clock, members);
}

void HappensBefore::meet_all(BlockClock& block) {
  ThreadClock all = block.common;
  bool any_own = false;
  for (std::unique_ptr<ThreadClock>& own : block.own) {
    if (!own) continue;
    all.clock = std::max(all.clock, own->clock);
    all.join(*own);
    own.reset();
    any_own = true;
  }
  // The block's own component now says what those of its threads said.
  uint64_t threads = block.own.size(), first = block.index * threads;
  auto is_foreign = [&](uint64_t key) {
    uint64_t from = key_of(Component::Thread, block.actor, first);
    return !(key >= from && key < from + threads);
  };
  if (any_own) all.known = std::make_shared<const VectorClock>(all.known->filtered(is_foreign));
  all.known = raised(all.known, key_of(Component::Block, block.actor, block.index), all.clock);
  all.clock++;
  block.common = all;
  block.interval++;
}

void HappensBefore::meet_some(BlockClock& block, const std::vector<uint32_t>& members) {
  if (members.empty()) return;
  ThreadClock all = block.view(members[0]);
  auto known = all.known ? std::make_shared<VectorClock>(*all.known) : std::make_shared<VectorClock>();
  for (uint32_t member : members) {
    const ThreadClock& view = block.view(member);
    Epoch now = epoch_of(block, member);
    known->raise(key_of(Component::Thread, now.actor, now.thread), now.clock);
    if (view.known != all.known) known->join(*view.known);
    all.join(view);
    all.clock = std::max(all.clock, view.clock);
  }
  all.known = known;
  all.clock++;
  for (uint32_t member : members) block.change(member) = all;
}

void HappensBefore::grid_barrier(const Grid& grid) {
  if (!enabled()) return;
  Kernel& kernel = kernels_[grid.number()];
  ThreadClock all;
  all.clock = 0;
  for (auto& [index, block] : kernel.blocks) {
    meet_all(block);
    all.clock = std::max(all.clock, block.common.clock);
    all.join(block.common);
  }
  all.known = raised(all.known, key_of(Component::Whole, kernel.actor), all.clock);
  all.clock++;
  for (auto& [index, block] : kernel.blocks) block.common = all;
}

}  // namespace cuco::vcluster
