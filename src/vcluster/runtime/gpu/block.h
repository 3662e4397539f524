// One thread block in execution. Its threads are fibers that take turns; a thread gets a stack of its own only when it
// has to wait, so a kernel without barriers runs thread after thread on one stack.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "vcluster/runtime/engine/clock.h"
#include "vcluster/runtime/engine/fiber.h"
#include "vcluster/runtime/engine/stack_bank.h"
#include "vcluster/runtime/engine/wait_kind.h"
#include "vcluster/runtime/gpu/async_copies.h"
#include "vcluster/runtime/gpu/bodies.h"
#include "vcluster/runtime/gpu/sampling.h"
#include "vcluster/runtime/gpu/warp.h"
#include "vcluster/runtime/timing/costs.h"

struct uint3;

namespace cuco::vcluster {

class Grid;
class WrittenRanges;

struct PollEntry {
  const void* address;
  uint64_t value;
  uint8_t bytes;
  uint8_t repeats;
};

// From where a thread came to meet others; null when the call stands in a stand-in header.
struct MeetingPlace {
  const char* place = nullptr;
  bool is_coop = false;  // A library call that a whole group makes together, not a plain barrier.
};

// Where a thread stands in its program. Device code writes it; cuco/hooks.h lays it out the same.
struct Position {
  const char* place = nullptr;  // file:line of the latest library call.
  MeetingPlace meeting_place;   // The same, until the first meeting with other threads that the call makes.
};

struct GpuThread : Position {
  BankFiber* fiber = nullptr;  // While suspended.
  uint32_t index = 0;
  bool exited = false;
  ThreadWait wait;
  Meeting* meeting = nullptr;       // Whose offers this lane may still read.
  const void* call_site = nullptr;  // Of __activemask, and its answer.
  unsigned active_mask = 0;
  uint8_t poll_count = 0;
  uint8_t poll_next = 0;
  std::array<PollEntry, 4> polls;  // The first poll_count mean something.
  // Whether its looks go round: a state it was in, which is replaced by later ones ever more rarely, and how often it
  // has come back to it.
  uint64_t look_state = 0;
  uint32_t looks_since = 0, looks_until_replaced = 1, returns = 0;
  uint8_t swap_next = 0;
  std::array<const void*, 4> swapped = {};  // What its latest exchanges and compare-and-swaps changed.
  BodyCall* body = nullptr;                 // That it is in.
  ThreadCopies copies;                      // That it has begun and not waited for.
  // Of a run whose results are compared: it has read what is not valid, so nothing that it writes from here on is
  // valid.
  bool misled = false;

  // As for a thread not begun.
  void reset() {
    static_cast<Position&>(*this) = {};
    fiber = nullptr;
    index = 0;
    exited = false;
    wait = {};
    meeting = nullptr;
    call_site = nullptr;
    active_mask = 0;
    poll_count = poll_next = 0;
    look_state = 0;
    looks_since = returns = 0;
    looks_until_replaced = 1;
    swap_next = 0;
    swapped = {};
    body = nullptr;
    copies = {};
    misled = false;
  }
};

class Block {
 public:
  static constexpr int kBarriers = 16;

  void start(Grid& grid, uint64_t index, char* shared_memory);

  // Runs every thread that can run. Called by the scheduler.
  void run();
  // Instead of running: the block counts as one that did this, and is over.
  void stand_in(const BlockWork& work);

  bool begun() const { return begun_; }
  bool finished() const { return live_ == 0; }
  Grid& grid() const { return *grid_; }
  uint64_t index() const { return index_; }
  char* shared_memory() const { return shared_memory_; }
  const std::vector<GpuThread>& threads() const { return threads_; }
  GpuThread& thread(uint32_t index) { return threads_[index]; }

  // What the running thread may do.
  void suspend(const ThreadWait& wait);
  void barrier(int number, int count);
  void barrier_arrive(int number, int count);
  void span_at(int number, int first_warp);
  int barrier_count(int predicate);
  const uint64_t* exchange(unsigned mask, uint64_t offer, unsigned* present);
  unsigned active_mask(const void* call_site);

  // The running thread has done what breaks its device. It does not go on.
  [[noreturn]] void break_device(int error);

  // Makes a suspended thread runnable at a time; the block runs then.
  void make_ready(uint32_t thread, Time at);

  // For calls that a sampled run may leave out; see bodies.h.
  BlockBody& body_of(const BodySite& site);
  std::deque<BlockBody>& bodies() { return bodies_; }
  void enter_body(BodyCall& call);    // The running thread.
  BodyCall* leave_body();             // Null: it is in none.
  void count(const BlockWork& work);  // As if the running thread had done it.
  uint64_t waits() const { return waits_ + waits_in_phase_; }
  uint64_t turn() const { return turn_; }  // Counts how often the scheduler let it run.
  uint32_t live_count() const { return live_; }

  uint32_t sm = 0;
  Time started = 0;
  Time busy_until = 0;  // The block's work so far reaches to here.
  Time computed = 0;    // What it has computed, as if it had a multiprocessor to itself.
  uint32_t slot = 0;    // Tells the blocks of a multiprocessor apart.

  // Of a run whose results are compared: all its threads are misled, because one of them was and had to do with others,
  // or because it has left out some work; and where it writes, if somebody wants to know.
  bool misled = false;
  WrittenRanges* writes = nullptr;

  // The running thread waits until the clock has caught up with the work its block has done: what it does next to
  // other blocks or ranks happens after that work.
  void catch_up();
  // The same before a flag is stored: a lag that nobody can see, less than a flag's way to a peer, is let be.
  void catch_up_if_far();

  // For the account of its kernel. `after_computing`: what it had computed before these bytes were there.
  void note_sent(bool between_nodes, uint64_t bytes, Time after_computing);

 private:
  struct Barrier {
    uint32_t arrived = 0;
    int sum = 0;
    int result = 0;
    MeetingPlace from;  // Of thread `first`.
    uint32_t first = 0;
    int first_warp = -1;  // Of the span of warps that meets; -1: no span.
    std::vector<uint32_t> waiting;

    void reset() {
      arrived = 0;
      sum = result = 0;
      from = {};
      first = 0;
      first_warp = -1;
      waiting.clear();
    }
  };

  static void worker(void*);
  void enter(GpuThread& thread);
  void go_on(Fiber& from);  // Switches to the next runnable thread, or to the scheduler.
  Fiber* next_to_run();
  void exit_thread(GpuThread& thread);
  void end_stacks();
  bool release_if_complete(Barrier& barrier, uint32_t expected);
  uint32_t expected_at(int number, int count) const;
  void bring_lanes(const Meeting& meeting, uint32_t warp);
  void resume_meeting(const Meeting& meeting, uint32_t warp);
  bool resolve_active_masks();
  void charge_link(Time begin, uint64_t bytes);
  void charge();  // Turns what was counted since the last time into busy time.
  void price(BlockWork work);
  void prepare();    // Before the first thread runs.
  void end_turn();   // Of the running thread.
  void end_phase();  // All threads have come to one point.
  void add_to_body(BodyCall& call);
  void check_place(Barrier& barrier);
  void check_complete(const Barrier& barrier);
  void check_lanes(const Meeting& meeting, uint32_t warp);

  Grid* grid_ = nullptr;
  uint64_t index_ = 0;
  char* shared_memory_ = nullptr;
  BlockStacks stacks_;
  std::vector<GpuThread> threads_;
  std::vector<Warp> warps_;
  std::array<Barrier, kBarriers> barriers_;
  std::vector<uint32_t> ready_;  // Consumed from ready_head_.
  size_t ready_head_ = 0;
  CostCounters charged_ = {};  // The counters as of the last charge().
  uint32_t next_unstarted_ = 0;
  uint32_t live_ = 0;
  uint32_t asking_ = 0;  // Threads that wait for their active mask.
  bool begun_ = false;
  // Latencies that no other work of the block hides: one for every phase in which global memory is touched, and one for
  // every load that waits for itself. The thread with the most of them decides.
  uint64_t waits_ = 0;  // In the phases that are over.
  uint64_t waits_in_phase_ = 0;
  uint64_t waits_charged_ = 0;
  uint64_t serial_at_turn_ = 0, global_at_turn_ = 0;  // The counters when the running thread's turn began.
  std::deque<BlockBody> bodies_;                      // Threads know their calls by address.
  CostCounters body_counted_ = {};  // The counters up to which the running thread's body has its work.
  uint64_t turn_ = 0;
};

// The thread that is running, or null while host code or the scheduler runs.
extern GpuThread* current_thread;
extern Block* current_block;
// Whose stack it is on, and where that begins.
extern BankFiber* current_fiber;
inline const char* current_stack_top() { return current_fiber->stack_top; }

// Whether the address lies in the part of that stack that is the program's.
inline bool on_running_stack(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(current_fiber->stack_low) &&
         address < reinterpret_cast<uintptr_t>(current_fiber->program_top);
}

}  // namespace cuco::vcluster
