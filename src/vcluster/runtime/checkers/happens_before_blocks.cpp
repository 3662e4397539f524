// What the threads of a block know, from one meeting to the next.
#include <algorithm>

#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/gpu/grid.h"

namespace cuco::vcluster {

HappensBefore::BlockClock& HappensBefore::clock_of(const Block& block) {
  if (&block == last_block_) return *last_clock_;
  Kernel& kernel = kernels_[block.grid().launch().race_id];
  auto [found, fresh] = kernel.blocks.try_emplace(block.index());
  BlockClock& clock = found->second;
  if (fresh) {
    clock.actor = block.grid().launch().race_id;
    clock.index = block.index();
    clock.threads = block.grid().threads_per_block();
    clock.first_segment = clock.interval_segment = segments_.next();
    clock.before_kernel = kernel.before;
    const ClockPtr& base = actors_[clock.actor].start;
    clock.weak = clock.common.known = base;
    // What was over before the kernel began needs no fence any more.
    clock.common.fenced_block = clock.common.fenced_device = clock.common.fenced_system = base;
  }
  last_block_ = &block, last_clock_ = &clock;
  return clock;
}

Epoch HappensBefore::epoch_of(BlockClock& block, uint32_t thread) const {
  return {block.actor, static_cast<uint32_t>(block.first_thread() + thread), block.view(thread).clock, block.interval};
}

uint32_t HappensBefore::segment_of(BlockClock& block, uint32_t thread) {
  ThreadClock& view = block.view(thread);
  if (view.segment == 0)
    view.segment = segments_.add({block.actor, static_cast<uint32_t>(block.index), view.clock, block.interval});
  return view.segment;
}

ThreadClock& HappensBefore::change(BlockClock& block, uint32_t thread) {
  running_moment.thread = RunningMoment::kNobody;
  block.own.resize(block.threads);
  std::shared_ptr<ThreadClock>& own = block.own[thread];
  if (!own || own.use_count() > 1) own = std::make_shared<ThreadClock>(block.view(thread));
  own->segment = 0;
  return *own;
}

ThreadClock& HappensBefore::advance(BlockClock& block, uint32_t thread) {
  Epoch now = epoch_of(block, thread);
  ThreadClock& clock = change(block, thread);
  clock.known = raised(clock.known, key_of(Component::Thread, now.actor, now.thread), now.clock);
  clock.clock++;
  return clock;
}

void HappensBefore::start_kernel(uint32_t id, const Grid& grid) {
  if (id == 0) return;
  actors_[id].kind = ActorKind::Kernel;
  actors_[id].threads_per_block = grid.threads_per_block();
  Kernel& kernel = kernels_[id];
  // Ranks that do not meet leave segments that others do not know, which hold the floor down: of the latest ones each
  // is marked by itself.
  constexpr uint32_t kMarkedMax = 8192;
  uint32_t floor = floor_of(actors_[id]), next = segments_.next();
  uint32_t first = std::max(floor, next - std::min(next, kMarkedMax));
  for (uint32_t segment = first; segment < next; segment++) kernel.marks.push_back(is_over(actors_[id], segment));
  kernel.before = {PackedAccess::stamp(floor, 0), first, kernel.marks};
}

bool HappensBefore::is_over(const Actor& kernel, uint32_t segment) const {
  if (is_retired(segment)) return true;
  Epoch epoch = epoch_of(PackedAccess{PackedAccess::stamp(segment, 0)});
  return actors_.is_block_known(*kernel.start, epoch) == Actors::Answer::Yes;
}

// What an operation of a stream knows, those after it know too: the search goes on from the last one's floor.
uint32_t HappensBefore::floor_of(const Actor& kernel) {
  uint32_t& floor = floors_.try_emplace(kernel.stream, 1).first->second;
  while (floor < segments_.next() && is_over(kernel, floor)) floor++;
  return floor;
}

void HappensBefore::end_block(const Block& block) {
  if (!enabled()) return;
  BlockClock& clock = clock_of(block);
  Actor& actor = actors_[clock.actor];
  // The end of a kernel acquires whatever its threads have seen.
  ThreadClock all = joined_clock(clock, 0, clock.threads);
  all.fence(AccessScope::System);
  actor.learnt = joined(actor.learnt, all.known);
  kernels_[clock.actor].blocks.erase(block.index());
  last_block_ = nullptr;
  running_moment.thread = RunningMoment::kNobody;
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
  if (lanes == UINT32_MAX) return meet_warp(clock, warp);
  std::vector<uint32_t> members;
  for (uint32_t lane = 0; lane < kWarpThreads; lane++)
    if (lanes >> lane & 1) members.push_back(kWarpThreads * warp + lane);
  if (members.size() == clock.threads) return meet_all(clock);
  meet_some(clock, members);
}

// What the threads [first, end) know together.
ThreadClock HappensBefore::joined_clock(BlockClock& block, uint32_t first, uint32_t end) const {
  ThreadClock all = block.view(first);
  all.segment = 0;
  if (block.own.empty()) return all;
  for (uint32_t thread = first; thread < end; thread++) all.clock = std::max(all.clock, block.view(thread).clock);
  for (ThreadClock::Part part : ThreadClock::kParts) {
    ManyJoined joined;
    for (uint32_t thread = first; thread < end; thread++) joined.add(block.view(thread).*part);
    all.*part = joined.result();
  }
  return all;
}

void HappensBefore::meet_all(BlockClock& block) {
  running_moment.thread = RunningMoment::kNobody;
  ThreadClock all = joined_clock(block, 0, block.threads);
  uint64_t own = key_of(Component::Block, block.actor, block.index);
  uint64_t first = key_of(Component::Thread, block.actor, block.first_thread()), last = first + block.threads - 1;
  if (!block.own.empty()) {
    uint64_t first_warp = actors_.warp_key(epoch_of(block, 0)),
             last_warp = actors_.warp_key(epoch_of(block, block.threads - 1));
    // The block's own component says what those of its threads said; of what fences released, as far as all threads
    // did.
    all.known = without(without(all.known, first_warp, last_warp), first, last);
    for (ThreadClock::Part fenced : ThreadClock::kFenced)
      if (uint32_t least = all.*fenced ? (all.*fenced)->least_between(first, last) : 0; least > 0)
        all.*fenced = raised(without(all.*fenced, first, last, least), own, least);
  }
  all.known = raised(all.known, own, all.clock);
  all.clock++;
  block.own.clear();
  block.common = all;
  block.interval++;
  block.interval_segment = segments_.next();
}

void HappensBefore::meet_warp(BlockClock& block, uint32_t warp) {
  running_moment.thread = RunningMoment::kNobody;
  uint32_t first = kWarpThreads * warp;
  auto all = std::make_shared<ThreadClock>(joined_clock(block, first, first + kWarpThreads));
  uint64_t key = key_of(Component::Thread, block.actor, block.first_thread() + first);
  all->known = without(all->known, key, key + kWarpThreads - 1);
  all->known = raised(all->known, actors_.warp_key(epoch_of(block, first)), all->clock);
  all->clock++;
  block.own.resize(block.threads);
  std::fill_n(block.own.begin() + first, kWarpThreads, all);
}

void HappensBefore::meet_some(BlockClock& block, const std::vector<uint32_t>& members) {
  if (members.empty()) return;
  running_moment.thread = RunningMoment::kNobody;
  auto all = std::make_shared<ThreadClock>(block.view(members[0]));
  auto known = all->known ? std::make_shared<VectorClock>(*all->known) : std::make_shared<VectorClock>();
  for (uint32_t member : members) {
    const ThreadClock& view = block.view(member);
    Epoch now = epoch_of(block, member);
    known->raise(key_of(Component::Thread, now.actor, now.thread), now.clock);
    if (view.known != all->known) known->join(*view.known);
    all->join(view);
    all->clock = std::max(all->clock, view.clock);
  }
  all->known = known;
  all->clock++;
  all->segment = 0;
  block.own.resize(block.threads);
  for (uint32_t member : members) block.own[member] = all;
}

void HappensBefore::grid_barrier(const Grid& grid) {
  if (!enabled()) return;
  uint32_t actor = grid.launch().race_id;
  std::map<uint64_t, BlockClock>& blocks = kernels_[actor].blocks;
  ThreadClock all;
  all.clock = 0;
  for (auto& [index, block] : blocks) {
    meet_all(block);
    all.clock = std::max(all.clock, block.common.clock);
    all.join(block.common);
  }
  all.known = raised(all.known, key_of(Component::Whole, actor), all.clock);
  all.clock++;
  for (auto& [index, block] : blocks) block.common = all;
}

}  // namespace cuco::vcluster
