#include "vcluster/runtime/checkers/happens_before.h"

#include <algorithm>

#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"

namespace cuco::vcluster {

namespace {

bool is_shared_address(uintptr_t address) { return address >= kSharedBase && address < kSharedEnd; }

bool is_device_variable(uintptr_t address) {
  const Grid& grid = current_block->grid();
  const Process& process = *grid.launch().process;
  auto begin = reinterpret_cast<uintptr_t>(process.device_copies.at(&grid.device()));
  return address >= begin && address < begin + process.device_bytes;
}

// Which bytes of the word lie in [begin, end).
unsigned byte_mask(uintptr_t word, uintptr_t begin, uintptr_t end) {
  uintptr_t from = begin > word ? begin - word : 0, to = std::min(end - word, RaceCells::kWord);
  return static_cast<unsigned>((1u << to) - (1u << from));
}

bool is_put(const Actor& actor) { return actor.kind == ActorKind::PutSource || actor.kind == ActorKind::PutTarget; }

}  // namespace

RunningMoment running_moment;

HappensBefore run_races;

bool HappensBefore::enabled() { return world->options.check; }

void HappensBefore::on_access(const Access& access) {
  if (!enabled() || !current_block || !is_tracked(access.address)) return;
  BlockClock& block = clock_of(*current_block);
  uint32_t thread = current_thread->index;
  // What a store releases has the store itself in its past.
  bool is_store = access.kind == AccessKind::AtomicWrite;
  if (is_atomic(access.kind) && !is_store) synchronise(access, block);
  uint32_t segment = segment_of(block, thread);
  Viewer viewer = {epoch_of(block, thread), block.view(thread).known.get(),
                   block.weak.get(),        segment,
                   block.first_segment,     static_cast<uint32_t>(block.first_thread())};
  size_t pages = cells_.page_count();
  check(viewer, access.address, access.bytes, access.kind, access.site);
  if (is_atomic(access.kind) || cells_.page_count() > pages) harness().use_window_slot(access.address, access.bytes);
  if (is_store) synchronise(access, block);
  if (is_quick(access.address)) quick_pages.add(access.address, cells_.cells_of(access.address));
}

void HappensBefore::find_moment() {
  BlockClock& block = clock_of(*current_block);
  uint32_t thread = current_thread->index;
  running_moment.stamp = PackedAccess::stamp(segment_of(block, thread), thread);
  running_moment.shared = {PackedAccess::stamp(block.interval_segment, 0)};
  running_moment.device = block.before_kernel;
  running_moment.thread = reinterpret_cast<uintptr_t>(current_thread);
}

void HappensBefore::access_by(uint32_t id, const void* address, size_t bytes, AccessKind kind) {
  auto begin = reinterpret_cast<uintptr_t>(address);
  if (id == 0 || bytes == 0 || device_of(begin) < 0 || !is_tracked(begin)) return;
  Actor& actor = actors_[id];
  if (actor.segment == 0) actor.segment = segments_.add({id, 0, 1, 0});
  const VectorClock* weak = actor.learnt ? actor.learnt.get() : actor.start.get();
  check({{id, 0, 1, 0}, actor.start.get(), weak, actor.segment, 0, 0}, begin, bytes, kind, nullptr);
  // What a copy or a put stores carries no order of its own.
  if (is_write(kind) && bytes <= 8) flags_.erase(begin);
}

void HappensBefore::forget(uintptr_t begin, size_t bytes) {
  cells_.forget(begin, bytes);
  std::erase_if(flags_, [&](const auto& flag) { return flag.first - begin < bytes; });
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

// A page of device memory belongs to one allocation; the host may have a say in managed memory.
bool HappensBefore::is_quick(uintptr_t address) const {
  if (is_shared_address(address)) return true;
  return device_of(address) >= 0 && !last_allocation_->what.starts_with("cudaMallocManaged");
}

void HappensBefore::check(const Viewer& viewer, uintptr_t address, size_t bytes, AccessKind kind,
                          const AccessSite* site) {
  constexpr uintptr_t kWord = RaceCells::kWord, kPage = RaceCells::kPageBytes;
  if (viewer.segment == 0) return;
  uint64_t stamp = PackedAccess::stamp(viewer.segment, viewer.epoch.thread - viewer.first_thread);
  uintptr_t end = address + bytes;
  for (uintptr_t word = address & ~(kWord - 1); word < end;) {
    PackedAccess now = PackedAccess::make(stamp, byte_mask(word, address, end), kind, number_of(site));
    bool is_page = word % kPage == 0 && word >= address && end - word >= kPage;
    RaceCell* whole = is_page ? cells_.whole_page(word) : nullptr;
    check_cell(viewer, whole ? *whole : cells_.at(word), word, now);
    word += whole ? kPage : kWord;
  }
}

bool HappensBefore::is_known(const Viewer& viewer, const Epoch& epoch) const {
  if (epoch.actor == viewer.epoch.actor && epoch.thread == viewer.epoch.thread) return true;
  return viewer.known && actors_.is_known(*viewer.known, epoch);
}

Epoch HappensBefore::epoch_of(PackedAccess access) const {
  const Segment& segment = segments_[access.segment()];
  uint32_t first = segment.block * actors_[segment.actor].threads_per_block;
  return {segment.actor, first + access.thread(), segment.clock, segment.interval};
}

AccessRecord HappensBefore::unpacked(PackedAccess access) const {
  return {epoch_of(access), site_of(access.site()), access.kind()};
}

bool HappensBefore::is_retired(uint32_t segment) const {
  return !segments_.has(segment) || actors_.is_retired(segments_[segment].actor);
}

Actors::Answer HappensBefore::remembered_answer(const Viewer& viewer, uint32_t segment) {
  Remembered& latest = remembered_[(segment ^ viewer.segment * 0x9e3779b9u >> 16) % remembered_.size()];
  if (latest.viewer == viewer.segment && latest.other == segment) return latest.answer;
  if (is_retired(segment)) return Actors::Answer::Yes;
  const Segment& other = segments_[segment];
  const Segment& own = segments_[viewer.segment];
  Epoch epoch = epoch_of(PackedAccess{PackedAccess::stamp(segment, 0)});
  Actors::Answer answer = actors_.is_block_known(*viewer.known, epoch);
  // A thread knows what it did itself.
  if (answer == Actors::Answer::No && other.actor == own.actor && other.block == own.block)
    answer = Actors::Answer::ByThread;
  latest = {viewer.segment, segment, answer};
  return answer;
}

bool HappensBefore::is_past(const Viewer& viewer, PackedAccess before, bool is_shared) {
  // Shared memory is handed from block to block: what an earlier one left in it is nothing to this one.
  if (is_shared && before.segment() < viewer.first_segment) return true;
  Actors::Answer answer = remembered_answer(viewer, before.segment());
  if (answer == Actors::Answer::ByThread) return is_known(viewer, epoch_of(before));
  return answer == Actors::Answer::Yes;
}

bool HappensBefore::conflicts(const Viewer& viewer, PackedAccess before, PackedAccess now, bool is_shared) {
  if (before.bits == 0 || (before.mask() & now.mask()) == 0) return false;
  if (is_atomic(before.kind()) && is_atomic(now.kind())) return false;
  return !is_past(viewer, before, is_shared);
}

void HappensBefore::check_cell(const Viewer& viewer, RaceCell& cell, uintptr_t word, PackedAccess now) {
  bool is_shared = is_shared_address(word);
  if (conflicts(viewer, cell.write, now, is_shared)) report(viewer, word, cell.write, now);
  if (is_write(now.kind())) {
    for (PackedAccess& read : cell.reads) {
      if (conflicts(viewer, read, now, is_shared)) report(viewer, word, read, now);
      read = {};
    }
    cell.write = now;
    return;
  }
  bool first_is_free = cell.reads[0].bits == 0 || is_past(viewer, cell.reads[0], is_shared);
  cell.reads[first_is_free ? 0 : 1] = now;
}

void HappensBefore::report(const Viewer& viewer, uintptr_t word, PackedAccess before, PackedAccess now) {
  AccessRecord first = unpacked(before), second = unpacked(now);
  report_.add(classify(viewer, first, second), actors_, first, second, word);
}

const char* HappensBefore::classify(const Viewer& viewer, const AccessRecord& before, const AccessRecord& now) const {
  const Actor& earlier = actors_[before.epoch.actor];
  const Actor& later = actors_[now.epoch.actor];
  if (earlier.kind == ActorKind::PutSource) return classify_source(viewer, earlier);
  if (later.kind == ActorKind::PutSource && earlier.rank == later.rank && !is_put(earlier)) return "missing_fence";
  if (earlier.rank == later.rank && !is_put(earlier) && !is_put(later)) return "gpu_race";
  if (waited_in_vain(now.epoch, before.epoch) || waited_in_vain(before.epoch, now.epoch)) return "stale_wait";
  if (viewer.weak && actors_.is_weakly_known(*viewer.weak, before.epoch)) return "missing_fence";
  if (only_its_block_waited(now.epoch, before.epoch) || only_its_block_waited(before.epoch, now.epoch))
    return "missing_fence";
  return "window_race";
}

// Of a write to what a put reads. Where the kernel that posts it has no order between write and post, the data was
// meant to be complete by then.
const char* HappensBefore::classify_source(const Viewer& viewer, const Actor& source) const {
  bool is_told = is_known(viewer, source.post) || (viewer.weak && actors_.is_weakly_known(*viewer.weak, source.post));
  return source.post.actor == viewer.epoch.actor && !is_told ? "missing_fence" : "source_reuse";
}

// Whether `user` touches what the put writes after a wait for its signal that asked for no more than an earlier round.
bool HappensBefore::waited_in_vain(const Epoch& user, const Epoch& put) const {
  auto value = raised_.find(actors_[put.actor].signal);
  if (value == raised_.end() || actors_[put.actor].kind != ActorKind::PutTarget) return false;
  const Epoch& wait = value->second.repeated_wait;
  return wait.actor != 0 && comes_after(user, wait);
}

bool HappensBefore::comes_after(const Epoch& later, const Epoch& wait) const {
  const Actor& actor = actors_[later.actor];
  if (later.actor != wait.actor) return actor.start && actors_.is_known(*actor.start, wait);
  if (actors_.block_key(later) != actors_.block_key(wait)) return false;
  return later.thread == wait.thread ? later.clock >= wait.clock : later.interval > wait.interval;
}

// Whether another thread of the block waits for the signal of the put, and no block barrier told this one of it.
bool HappensBefore::only_its_block_waited(const Epoch& thread, const Epoch& put) const {
  if (actors_[thread.actor].kind != ActorKind::Kernel || !actors_[put.actor].signal) return false;
  auto wait = waits_.find({actors_[put.actor].signal, actors_.block_key(thread)});
  return wait != waits_.end() && wait->second.thread != thread.thread && thread.interval <= wait->second.end_interval;
}

}  // namespace cuco::vcluster
