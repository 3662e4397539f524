// Races by happens-before: which accesses no synchronisation orders, whatever order they came in this time. The runtime
// reports everything that orders, the checking build every access; what is not understood counts as ordering.
// Findings: gpu_race, window_race, missing_fence, source_reuse, stale_wait. Without the checking build nothing is
// recorded.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "vcluster/runtime/checkers/actors.h"
#include "vcluster/runtime/checkers/common_past.h"
#include "vcluster/runtime/checkers/fences.h"
#include "vcluster/runtime/checkers/race_cells.h"
#include "vcluster/runtime/checkers/race_report.h"
#include "vcluster/runtime/checkers/sites.h"
#include "vcluster/runtime/gpu/block.h"

namespace cuco::vcluster {

struct Allocation;
struct HostThread;
struct Operation;

// A put has two actors: one reads the source, one writes the target.
struct PutActors {
  uint32_t source = 0, target = 0;
};

// What the accesses of the running thread are checked with as long as they are plainly in order.
struct RunningMoment {
  static constexpr uintptr_t kNobody = 1;

  uintptr_t thread = kNobody;  // The GpuThread that it is valid for.
  uint64_t stamp = 0;          // As PackedAccess has it.
  Past shared;                 // What was over before the block's last barrier, or is another block's.
  Past device;                 // What was over before the kernel began.
};
extern RunningMoment running_moment;

class HappensBefore {
 public:
  static bool enabled();

  // An access by the running thread of a kernel.
  void on_access(const Access& access);
  // Brings running_moment up to date.
  void find_moment();
  // Memory is freed.
  void forget(uintptr_t begin, size_t bytes);

  // Operations on streams, by the number that begin_operation gives them; 0 when nothing is recorded.
  uint32_t begin_operation(const void* stream, int rank, const std::string& what);
  void order(uint32_t earlier, uint32_t later);
  void start_operation(uint32_t id);
  void end_operation(uint32_t id);
  void access_by(uint32_t id, const void* address, size_t bytes, AccessKind kind);
  // A collective or message brings what `from` knew at its start to `to`.
  void bring(uint32_t from, uint32_t to);

  // Host code. Threads order each other when they start, join, pass a lock, barrier or message, or use the same atomic.
  void host_learns(uint32_t operation);
  void host_release(const void* place);
  void host_acquire(const void* place);
  void host_starts(const HostThread* thread);
  void host_joins(const HostThread* thread);

  // Kernels.
  void start_kernel(uint32_t id, const Grid& grid);
  void end_block(const Block& block);
  void block_barrier(Block& block, const std::vector<uint32_t>& waiting, bool whole);
  void warp_meeting(Block& block, uint32_t warp, unsigned lanes);
  void grid_barrier(const Grid& grid);
  void fence(int scope);

  // Device-side communication. `source_lane` is what a flush waits for, `target_lane` what a signal covers.
  PutActors post(const void* source_lane, const void* target_lane, const std::string& what, const void* signal);
  // The put or get touches nothing any more.
  void finish(PutActors put);
  // The same of a put that has landed. There are very many, and what each knew is large.
  void forget(PutActors put);
  void will_raise_signal(const void* signal, PutActors put, bool is_strong, uint64_t amount);
  void will_raise_counter(const void* counter, PutActors put);
  void begin_wait(const void* signal, uint64_t least);
  void see_signal(const void* signal, uint64_t least);
  void see_counter(const void* counter, uint64_t least);
  void reset_value(const void* value);
  void flush(const void* source_lane);
  void arrive(const void* barrier, int rank, uint64_t round, const std::vector<const void*>& target_lanes);
  void leave(const void* barrier, int rank, uint64_t round);

  // This moment of the running thread; of no actor when nothing is recorded.
  Epoch mark();
  // Whether the running thread comes after the moment, by whatever weak order.
  bool comes_after(const Epoch& moment);

 private:
  // Collections, which look at every actor that is kept, are at least so far apart.
  static constexpr uint32_t kActorsBetween = 256, kSegmentsBetween = 16384;

  // Threads that have learnt nothing of their own since the last block barrier share `common`.
  struct BlockClock {
    uint32_t actor = 0;
    uint64_t index = 0;
    uint32_t threads = 0;
    uint32_t interval = 0;
    uint32_t first_segment = 0;     // Segments from here on may be the block's.
    uint32_t interval_segment = 0;  // The same since the last barrier of the whole block.
    Past before_kernel;
    ClockPtr weak;
    ThreadClock common;
    std::vector<std::shared_ptr<ThreadClock>> own;  // Empty: no thread has one. Threads that know the same share it.

    ThreadClock& view(uint32_t thread) { return own.empty() || !own[thread] ? common : *own[thread]; }
    uint64_t first_thread() const { return index * threads; }
  };
  struct Kernel {
    Past before;                 // What was over before it began.
    std::vector<uint8_t> marks;  // That `before` refers to.
    std::map<uint64_t, BlockClock> blocks;
  };
  // What will raise a signal or counter, in the order of posting.
  struct Raise {
    uint32_t lane;
    bool is_in_order;  // It arrives after those before it over its lane that are in order, too.
    uint64_t amount;
    ClockPtr strong, weak;
  };
  struct RaisedValue {
    uint64_t settled_amount = 0;
    ClockPtr strong, weak;  // Of the raises that some wait has covered for certain.
    std::vector<Raise> pending;
    uint64_t least_max = 0;  // Of all waits for it.
    Epoch latest_wait;
    Epoch repeated_wait;  // The first that asks for no more than one of an earlier round did.
  };
  // What stores and updates of a word have released. A store that leaves the word as it was tells nobody anything: who
  // reads it may as well have read it before.
  struct Flag {
    Released latest;
    Released before;            // What a reader of `value_before` can rely on.
    uint64_t value_before = 0;  // Of the word when the latest store was made.
    bool is_stored = false;     // The latest was a store.
  };
  // A block's wait for a signal: by which thread, and after how many block barriers it was over.
  struct SignalWait {
    uint32_t thread = 0;
    uint32_t end_interval = UINT32_MAX;
  };
  // Who makes an access, and what it knows.
  struct Viewer {
    Epoch epoch;
    const VectorClock* known;
    const VectorClock* weak;
    uint32_t segment = 0;
    uint32_t first_segment = 0;  // In shared memory, what is older is of another block.
    uint32_t first_thread = 0;   // Of its block.
  };
  struct PostedPut {
    Epoch post;
    uint32_t source;
  };
  // The puts of a source lane but for the first `gone`, which are retired.
  struct PostedPuts {
    uint32_t gone = 0;
    std::deque<PostedPut> kept;
  };
  // What all know need not be remembered; see collect_garbage.
  struct Collection {
    CommonPast past;
    std::unordered_map<const VectorClock*, std::pair<ClockPtr, ClockPtr>> pruned;  // With the clock before.
  };

  // Memory does not grow with what a program has done, but with what somebody at work does not know of it. Findings do
  // not depend on when this is called.
  void collect_garbage();
  bool is_due() const;
  std::vector<ClockPtr> viewpoints() const;
  void retire_actors(CommonPast& past);
  void prune(Collection& collection, ClockPtr& clock);
  void prune(Collection& collection, Released& released);
  void prune_actors(Collection& collection);
  void prune_values(Collection& collection);
  void forget_waits();

  BlockClock& clock_of(const Block& block);
  bool is_retired(uint32_t segment) const;
  bool is_over(const Actor& kernel, uint32_t segment) const;
  uint32_t floor_of(const Actor& kernel);
  Epoch epoch_of(BlockClock& block, uint32_t thread) const;
  Epoch epoch_of(PackedAccess access) const;
  AccessRecord unpacked(PackedAccess access) const;
  uint32_t segment_of(BlockClock& block, uint32_t thread);
  // The thread's own clock, to be changed.
  ThreadClock& change(BlockClock& block, uint32_t thread);
  // The thread's past up to here gets a name that others can learn.
  ThreadClock& advance(BlockClock& block, uint32_t thread);
  void synchronise(const Access& access, BlockClock& block);
  static void begin_store(Flag& flag, uint64_t value);
  void release(Released& flag, BlockClock& block, uint32_t thread);
  void see(const Released& flag, BlockClock& block, uint32_t thread);
  RaisedValue& settle(const void* value, uint64_t least);
  void meet_all(BlockClock& block);
  void meet_some(BlockClock& block, const std::vector<uint32_t>& members);
  void meet_warp(BlockClock& block, uint32_t warp);
  ThreadClock joined_clock(BlockClock& block, uint32_t first, uint32_t end) const;

  bool is_tracked(uintptr_t address);
  bool is_quick(uintptr_t address) const;
  void check(const Viewer& viewer, uintptr_t address, size_t bytes, AccessKind kind, const AccessSite* site);
  void check_cell(const Viewer& viewer, RaceCell& cell, uintptr_t word, PackedAccess now);
  bool conflicts(const Viewer& viewer, PackedAccess before, PackedAccess now, bool is_shared);
  bool is_past(const Viewer& viewer, PackedAccess before, bool is_shared);
  Actors::Answer remembered_answer(const Viewer& viewer, uint32_t segment);
  void report(const Viewer& viewer, uintptr_t word, PackedAccess before, PackedAccess now);
  const char* classify(const Viewer& viewer, const AccessRecord& before, const AccessRecord& now) const;
  bool waited_in_vain(const Epoch& user, const Epoch& put) const;
  bool comes_after(const Epoch& later, const Epoch& wait) const;
  const char* classify_source(const Viewer& viewer, const Actor& source) const;
  bool only_its_block_waited(const Epoch& thread, const Epoch& put) const;
  bool is_known(const Viewer& viewer, const Epoch& epoch) const;

  Actors actors_;
  Segments segments_;
  RaceCells cells_;
  RaceReport report_;
  std::unordered_map<uint32_t, Kernel> kernels_;   // By actor.
  std::unordered_map<uint32_t, uint32_t> floors_;  // By stream: that of its latest kernel.
  std::unordered_map<uintptr_t, Flag> flags_;
  std::map<std::pair<const void*, std::pair<int, uint64_t>>, Released> arrivals_;
  std::unordered_map<const void*, RaisedValue> raised_;
  std::unordered_map<const void*, PostedPuts> puts_;              // By source lane.
  std::unordered_map<const void*, uint32_t> last_arrival_;        // By target lane: the latest target actor.
  std::map<std::pair<const void*, uint64_t>, SignalWait> waits_;  // By signal and block key.
  std::unordered_map<const HostThread*, ClockPtr> hosts_;
  std::unordered_map<const void*, ClockPtr> places_;
  const Allocation* last_allocation_ = nullptr;
  // What one segment knows of another never changes: the latest answers.
  struct Remembered {
    uint32_t viewer = 0, other = 0;
    Actors::Answer answer = Actors::Answer::No;
  };
  std::array<Remembered, 1024> remembered_;
  const Block* last_block_ = nullptr;
  BlockClock* last_clock_ = nullptr;  // Of last_block_.
  uint32_t next_collection_actors_ = kActorsBetween, next_collection_segments_ = kSegmentsBetween;
};

extern HappensBefore run_races;
inline HappensBefore& races() { return run_races; }

}  // namespace cuco::vcluster
