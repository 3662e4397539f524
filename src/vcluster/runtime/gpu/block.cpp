#include "vcluster/runtime/gpu/block.h"

#include <vector_types.h>

#include <bit>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "vcluster/runtime/checkers/divergence.h"
#include "vcluster/runtime/checkers/happens_before.h"
#include "vcluster/runtime/engine/world.h"
#include "vcluster/runtime/gpu/device.h"
#include "vcluster/runtime/gpu/grid.h"
#include "vcluster/runtime/gpu/stream.h"
#include "vcluster/runtime/recording/sample_account.h"

namespace cuco::vcluster {
static Position unread_position;
}

// What device code reads. The images declare them const, which holds for each thread; only a switch changes them.
extern "C" {
uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;
ptrdiff_t cuco_shared_distance;
void* cuco_dynamic_shared_base;
ptrdiff_t cuco_device_distance;
// Of the running thread; host code has one that nobody reads.
cuco::vcluster::Position* cuco_position = &cuco::vcluster::unread_position;
}

namespace cuco::vcluster {

GpuThread* current_thread = nullptr;
Block* current_block = nullptr;

BankFiber* current_fiber = nullptr;

namespace {

// What is on the stack from here on is the program's.
[[gnu::noinline]] void call_kernel(const Grid& grid) {
  char here = 0;
  current_fiber->program_top = &here;
  grid.run_thread();
}

bool is_same_place(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }

}  // namespace

void Block::start(Grid& grid, uint64_t index, char* shared_memory) {
  grid_ = &grid;
  index_ = index;
  shared_memory_ = shared_memory;
  live_ = grid.threads_per_block();
  begun_ = false;
  computed = 0;
  misled = false;
  writes = nullptr;
}

void Block::prepare() {
  begun_ = true;
  threads_.resize(live_);
  for (GpuThread& thread : threads_) thread.reset();
  warps_.resize((live_ + 31) / 32);
  for (uint32_t w = 0; w < warps_.size(); w++) {
    uint32_t lanes = std::min(32u, live_ - 32 * w);
    warps_[w].reset(lanes == 32 ? ~0u : (1u << lanes) - 1);
  }
  for (Barrier& barrier : barriers_) barrier.reset();
  ready_.clear();
  ready_head_ = 0;
  next_unstarted_ = 0;
  asking_ = 0;
  waits_ = waits_in_phase_ = waits_charged_ = 0;
  bodies_.clear();
  turn_ = 0;
  stacks_.begin(world->device_stacks);
}

void Block::run() {
  current_block = this;
  if (!begun_) prepare();
  grid_->install(*this);
  turn_++;
  CostCounters before = charged_ = cost_counters();
  uint64_t waits_before = waits();
  do {
    go_on(world->scheduler);
  } while (!grid_->is_dropped() && live_ > 0 && asking_ > 0 && resolve_active_masks());
  charge();
  grid_->note_turn(*this, {counted_since(before), waits() - waits_before});
  if (live_ == 0) grid_->bodies().end_block(*this), end_stacks();
  current_thread = nullptr;
  current_block = nullptr;
  cuco_position = &unread_position;
}

void Block::stand_in(const BlockWork& work) {
  begun_ = true;
  live_ = 0;
  price(work);
}

void Block::end_turn() {
  const CostCounters& counters = cost_counters();
  uint64_t waits = counters[SerialLoads] - serial_at_turn_ + (counters[GlobalBytes] != global_at_turn_);
  waits_in_phase_ = std::max(waits_in_phase_, waits);
  serial_at_turn_ = counters[SerialLoads], global_at_turn_ = counters[GlobalBytes];
  if (current_thread->body) add_to_body(*current_thread->body);
}

void Block::add_to_body(BodyCall& call) {
  CostCounters counted = counted_since(body_counted_);
  for (size_t i = 0; i < counted.size(); i++) call.work.counters[i] += counted[i];
  body_counted_ = cost_counters();
}

BlockBody& Block::body_of(const BodySite& site) {
  for (BlockBody& body : bodies_)
    if (body.site == &site) return body;
  return bodies_.emplace_back(BlockBody{&site, std::vector<uint64_t>(threads_.size()), {}});
}

void Block::enter_body(BodyCall& call) {
  end_turn();
  if (call.entered_count++ == 0) call.waits_before = waits();
  call.inside_count++;
  call.last_turn = turn_;
  current_thread->body = &call;
  body_counted_ = cost_counters();
}

BodyCall* Block::leave_body() {
  if (!current_thread->body) return nullptr;
  end_turn();
  current_thread->body->inside_count--;
  return std::exchange(current_thread->body, nullptr);
}

void Block::count(const BlockWork& work) {
  end_turn();
  add_costs(work.counters);
  serial_at_turn_ = cost_counters()[SerialLoads], global_at_turn_ = cost_counters()[GlobalBytes];
  waits_in_phase_ = std::max(waits_in_phase_, work.waits);
}

void Block::end_phase() {
  end_turn();
  waits_ += std::exchange(waits_in_phase_, 0);
}

void Block::end_stacks() {
  if (stacks_.overran()) {
    world->add_finding("memory_access", grid_->device().rank,
                       concat("kernel ", grid_->launch().name, " launched at ", grid_->launch().place, ", block ",
                              index_, ": a thread's stack overflowed"));
    world->end_run("fault", 1);
  }
  stacks_.end();
}

void Block::charge() {
  BlockWork work{counted_since(charged_)};
  charged_ = cost_counters();
  end_turn();
  work.waits = waits() - std::exchange(waits_charged_, waits());
  price(work);
}

void Block::price(BlockWork done) {
  Device& device = grid_->device();
  CostCounters& work = done.counters;
  sample_account().operations += operations_of(work);
  double missing = grid_->missing_share(work[GlobalBytes]);
  work[HbmBytes] = static_cast<uint64_t>(static_cast<double>(work[GlobalBytes]) * missing);
  auto scaled = [&](Time time) { return static_cast<Time>(static_cast<double>(time) * device.slowness); };
  // What its multiprocessor needs when the block has it to itself, and what passes whatever else it has.
  Time taken = time_of(work, device.gpu), least = latency_of(done.waits, missing, device.gpu);
  if (taken == 0 && least == 0) return;
  Time begin = std::max(busy_until, world->now());
  busy_until = std::max(device.end_beside_others(*this, begin, scaled(taken)), begin + scaled(least));
  // What a kernel moves between ranks is in the bound by its bytes, not by how it moves them.
  bool computes = !grid_->communicates || !moves_bytes(work);
  *grid_->launch().work += Work{work, 0, 0, computes ? taken : 0};
  // What is stored at peers may have been stored before the rest of the piece was computed.
  if (work[PeerBytes] > 0) note_sent(false, work[PeerBytes], computed);
  computed += computes ? taken : 0;
  world->timeline.add_span(device.rank, computes ? Category::Compute : Category::Communication, begin, busy_until);
  charge_link(begin, work[PeerBytes]);
}

void Block::note_sent(bool between_nodes, uint64_t bytes, Time after_computing) {
  const KernelLaunch& launch = grid_->launch();
  auto amount = static_cast<double>(bytes);
  (between_nodes ? launch.work->between_bytes : launch.work->inside_bytes) += amount;
  if (launch.operation) launch.operation->sent_by_blocks[{between_nodes, after_computing}] += amount;
}

// Loads and stores of peers' memory share the way out with everything else the device sends. They take their place
// from this instant on, not from where the block's work reaches to: others would queue behind an idle link.
void Block::charge_link(Time begin, uint64_t bytes) {
  const std::optional<model::Link>& link = world->options.profile.topology.inside;
  if (bytes == 0 || !link) return;
  Device& device = grid_->device();
  LinkQueue::Sending sending = device.inside.pass(world->now(), *link, static_cast<double>(bytes));
  world->timeline.add_span(device.rank, Category::Communication, begin, sending.end);
  busy_until = std::max(busy_until, sending.end);
  if (std::optional<double> rate = model::block_rate(*link, grid_->block_count(), grid_->threads_per_block()))
    busy_until = std::max(busy_until, begin + static_cast<Time>(static_cast<double>(bytes) / *rate * 1e3));
}

void Block::catch_up() {
  grid_->communicates = true;
  charge();
  current_thread->meeting_place = {};
  if (busy_until <= world->now()) return;
  make_ready(current_thread->index, busy_until);
  suspend({WaitKind::Sleep, 0, 0, 0});
}

void Block::catch_up_if_far() {
  charge();
  if (busy_until - world->now() < world->costs.flag_hop) return;
  make_ready(current_thread->index, busy_until);
  suspend({WaitKind::Sleep, 0, 0, 0});
}

void Block::enter(GpuThread& thread) {
  current_thread = &thread;
  cuco_position = &thread;
  threadIdx = grid_->thread_index(thread.index);
  serial_at_turn_ = cost_counters()[SerialLoads], global_at_turn_ = cost_counters()[GlobalBytes];
  if (thread.body) body_counted_ = cost_counters();
}

// The order among runnable threads is fixed: those that were resumed first, then those not begun.
Fiber* Block::next_to_run() {
  if (ready_head_ < ready_.size()) {
    current_fiber = threads_[ready_[ready_head_++]].fiber;
    if (ready_head_ == ready_.size()) ready_.clear(), ready_head_ = 0;
    stacks_.bring(*current_fiber);
    return current_fiber;
  }
  if (next_unstarted_ == threads_.size()) return &world->scheduler;
  return current_fiber = stacks_.take(&Block::worker, nullptr);
}

void Block::go_on(Fiber& from) {
  Fiber* to = next_to_run();
  if (to != &from) switch_fiber(from, *to);
}

void Block::worker(void*) {
  Block& block = *current_block;
  while (block.next_unstarted_ < block.threads_.size()) {
    GpuThread& thread = block.threads_[block.next_unstarted_];
    thread.index = block.next_unstarted_++;
    block.enter(thread);
    call_kernel(*block.grid_);
    // A thread may have been suspended and resumed by now: what runs is still its own fiber.
    block.exit_thread(*current_thread);
  }
  BankFiber& self = *current_fiber;
  block.stacks_.give_back(&self);
  block.go_on(self);
  CUCO_ASSERT(false);
}

void Block::suspend(const ThreadWait& wait) {
  GpuThread& self = *current_thread;
  end_turn();
  self.wait = wait;
  self.fiber = current_fiber;
  go_on(*self.fiber);
  self.wait.kind = WaitKind::None;
  enter(self);
}

void Block::break_device(int error) {
  grid_->device().break_down(error);
  switch_fiber(*current_fiber, world->scheduler);
  CUCO_ASSERT(false);
  __builtin_unreachable();
}

void Block::make_ready(uint32_t thread, Time at) {
  if (this == current_block && at <= world->now()) {
    ready_.push_back(thread);
    return;
  }
  world->events.at(std::max(at, world->now()), [this, thread] {
    ready_.push_back(thread);
    grid_->run_block(*this);
  });
}

void Block::exit_thread(GpuThread& thread) {
  thread.exited = true;
  if (!thread.copies.pending.empty()) drop_async_copies(thread);
  end_turn();
  live_--;
  uint32_t warp = thread.index / 32;
  warps_[warp].exit(thread.index % 32, [&](const Meeting& closed) { resume_meeting(closed, warp); });
  if (live_ == 0 || barriers_[0].arrived == 0) return;
  check_complete(barriers_[0]);
  release_if_complete(barriers_[0], live_);
}

uint32_t Block::expected_at(int number, int count) const {
  if (number < 0 || number >= kBarriers) return 0;
  return count > 0 ? static_cast<uint32_t>(count) : live_;
}

bool Block::release_if_complete(Barrier& barrier, uint32_t expected) {
  if (barrier.arrived < expected) return false;
  world->note_progress();
  end_phase();
  // Threads that arrived without waiting are not listed: such a barrier counts as one of all.
  bool is_partial = expected < live_ && barrier.waiting.size() + 1 >= barrier.arrived;
  races().block_barrier(*this, barrier.waiting, !is_partial);
  barrier.result = barrier.sum;
  barrier.arrived = 0, barrier.sum = 0;
  ready_.insert(ready_.end(), barrier.waiting.begin(), barrier.waiting.end());
  barrier.waiting.clear();
  return true;
}

// Threads that come from calls inside the stand-in headers bring no place and fit to everything.
void Block::check_place(Barrier& barrier) {
  MeetingPlace from = std::exchange(current_thread->meeting_place, {});
  if (barrier.arrived == 0) barrier.from = {};
  if (!from.place) return;
  if (!barrier.from.place) barrier.from = from, barrier.first = current_thread->index;
  if (!is_same_place(barrier.from.place, from.place)) report_divergence(*this, barrier.from, barrier.first, from);
}

// A group call speaks for all threads of the block, those that have left included.
void Block::check_complete(const Barrier& barrier) {
  if (barrier.from.is_coop && live_ < threads_.size()) report_missing_threads(*this, barrier.from.place, live_);
}

// Plain warp operations may be paired across the code; a call for the whole warp may not.
void Block::check_lanes(const Meeting& meeting, uint32_t warp) {
  MeetingPlace& mine = current_thread->meeting_place;
  if (!mine.is_coop) return;
  for (uint32_t lane = 0; lane < 32; lane++) {
    uint32_t index = 32 * warp + lane;
    if (!(meeting.arrived >> lane & 1) || index == current_thread->index) continue;
    const MeetingPlace& other = threads_[index].meeting_place;
    if (!other.is_coop || is_same_place(mine.place, other.place)) continue;
    report_divergence(*this, other, index, mine);
  }
  if (!meeting.open)
    for (uint32_t lane = 0; lane < 32; lane++)
      if (meeting.arrived >> lane & 1) threads_[32 * warp + lane].meeting_place = {};
}

void Block::span_at(int number, int first_warp) {
  Barrier& barrier = barriers_[number & (kBarriers - 1)];
  if (barrier.arrived > 0 && barrier.first_warp != first_warp) report_shared_barrier(*this, number, barrier.first_warp);
  barrier.first_warp = first_warp;
}

void Block::barrier(int number, int count) {
  Barrier& barrier = barriers_[number & (kBarriers - 1)];
  if (number == 0) check_place(barrier);
  barrier.arrived++;
  if (number == 0) check_complete(barrier);
  if (release_if_complete(barrier, expected_at(number, count))) return;
  barrier.waiting.push_back(current_thread->index);
  suspend({WaitKind::Barrier, static_cast<uint64_t>(number), 0, 0});
}

void Block::barrier_arrive(int number, int count) {
  Barrier& barrier = barriers_[number & (kBarriers - 1)];
  barrier.arrived++;
  release_if_complete(barrier, expected_at(number, count));
}

int Block::barrier_count(int predicate) {
  misled = misled || current_thread->misled;
  barriers_[0].sum += predicate;
  barrier(0, 0);
  return barriers_[0].result;
}

void Block::resume_meeting(const Meeting& meeting, uint32_t warp) {
  races().warp_meeting(*this, warp, meeting.arrived);
  for (uint32_t lane = 0; lane < 32; lane++) {
    uint32_t index = 32 * warp + lane;
    if ((meeting.arrived >> lane & 1) && threads_[index].wait.kind == WaitKind::Warp) ready_.push_back(index);
  }
}

// An offer may be an address on the stack of its lane.
void Block::bring_lanes(const Meeting& meeting, uint32_t warp) {
  for (unsigned lanes = meeting.arrived; lanes != 0; lanes &= lanes - 1) {
    GpuThread& thread = threads_[32 * warp + static_cast<uint32_t>(std::countr_zero(lanes))];
    if (thread.fiber) stacks_.bring(*thread.fiber);
  }
}

const uint64_t* Block::exchange(unsigned mask, uint64_t offer, unsigned* present) {
  GpuThread& self = *current_thread;
  misled = misled || self.misled;
  uint32_t warp = self.index / 32, lane = self.index % 32;
  if (self.meeting) Warp::leave(self.meeting, lane);
  Meeting* meeting = warps_[warp].join(lane, mask | 1u << lane, offer);
  self.meeting = meeting;
  check_lanes(*meeting, warp);
  if (!meeting->open) {
    bring_lanes(*meeting, warp);
    resume_meeting(*meeting, warp);
  } else {
    suspend({WaitKind::Warp, mask, 0, 0});
  }
  *present = meeting->arrived;
  return meeting->offers;
}

// Which lanes count as active is known once every lane of the block waits or has left: those that ask from the same
// place ask together.
unsigned Block::active_mask(const void* call_site) {
  GpuThread& self = *current_thread;
  self.call_site = call_site;
  self.active_mask = 0;
  asking_++;
  suspend({WaitKind::ActiveMask, 0, 0, 0});
  return self.active_mask;
}

bool Block::resolve_active_masks() {
  bool any = false;
  for (GpuThread& first : threads_) {
    if (first.exited || first.wait.kind != WaitKind::ActiveMask || first.active_mask != 0) continue;
    unsigned mask = 0;
    uint32_t base = first.index & ~31u, end = std::min<uint32_t>(base + 32, threads_.size());
    auto asks_with_first = [&](const GpuThread& other) {
      return !other.exited && other.wait.kind == WaitKind::ActiveMask && other.call_site == first.call_site;
    };
    for (uint32_t i = base; i < end; i++)
      if (asks_with_first(threads_[i])) mask |= 1u << (i - base);
    for (uint32_t i = base; i < end; i++) {
      if (!(mask >> (i - base) & 1)) continue;
      threads_[i].active_mask = mask;
      asking_--;
      ready_.push_back(i);
    }
    any = true;
  }
  return any;
}

}  // namespace cuco::vcluster
