// Who does something to memory: kernels (with their threads), copies, collectives, and the two halves of a put. An
// actor stands at a place in a stream of actors that follow each other.
#pragma once

#include <string>
#include <vector>

#include "vcluster/runtime/checkers/clock_keys.h"
#include "vcluster/runtime/checkers/kept_numbers.h"
#include "vcluster/runtime/checkers/vector_clock.h"

namespace cuco::vcluster {

enum class ActorKind : uint8_t { Operation, Kernel, PutSource, PutTarget };

// One moment of an actor; for kernels, of one of its threads.
struct Epoch {
  uint32_t actor = 0;  // 0: none.
  uint32_t thread = 0;
  uint32_t clock = 0;
  uint32_t interval = 0;  // Block barriers passed.
};

struct Actor {
  ActorKind kind = ActorKind::Operation;
  int rank = -1;
  uint32_t stream = 0;
  uint32_t sequence = 0;           // In the stream, from 1.
  uint32_t threads_per_block = 0;  // Of kernels.
  std::string what;                // "kernel add launched at a.cu:7", "a copy", "a put to rank 1", ...
  const void* signal = nullptr;    // That a put raises.
  Epoch post;                      // When a put was posted.
  uint32_t arrival = 0;            // Of a put's source: the actor of its target, which ends later.
  uint32_t segment = 0;            // Of its own accesses; not of kernels, whose threads have theirs.
  bool is_over = false;            // It touches nothing any more, and nobody asks what it knew at its start.
  bool is_retired = false;         // See Actors::retire.
  std::vector<uint32_t> after;     // Actors that end before this one starts; until it starts.
  ClockPtr start, end, learnt;     // Known at its start and at its end; learnt on the way, by any thread.
};

constexpr uint32_t kWarpThreads = 32;

class Actors {
 public:
  Actors() { all_.add({}); }

  // `stream` names what the actor follows others in.
  uint32_t add(ActorKind kind, const void* stream, int rank, std::string what);
  Actor& operator[](uint32_t id) { return all_[id]; }
  const Actor& operator[](uint32_t id) const { return all_[id]; }
  uint32_t size() const { return all_.size(); }
  size_t stream_count() const { return streams_.size(); }

  // All who are still at work, and all who will be, know everything that the actor did and knew at its end. From here
  // on every clock knows it, and no component says so; nothing else of it is kept.
  void retire(uint32_t id);
  bool is_retired(uint32_t id) const { return !all_.has(id) || all_[id].is_retired; }
  // Gives back the memory of retired actors.
  void release_retired();
  // Calls visit(id) for every actor that is not retired.
  template <class Visit>
  void for_each(Visit visit) const {
    all_.for_each([&](uint32_t id) {
      if (id != 0 && !all_[id].is_retired) visit(id);
    });
  }

  // Whether `clock` has the moment in its past.
  bool is_known(const VectorClock& clock, const Epoch& epoch) const;
  // The same for all threads of a block at once; ByThread: it depends on the thread.
  enum class Answer : uint8_t { No, Yes, ByThread };
  Answer is_block_known(const VectorClock& clock, const Epoch& epoch) const;
  // The same if every flag, barrier and signal ordered all that its block had done, whatever its memory order.
  bool is_weakly_known(const VectorClock& weak, const Epoch& epoch) const;

  // What the clock says beyond the streams that it knows up to there and the retired: a program that goes on for long
  // would otherwise know every kernel that it ever heard of by its parts.
  ClockPtr pruned(const ClockPtr& clock) const;

  uint64_t block_key(const Epoch& epoch) const;
  // Of the warp that the thread belongs to; warps do not reach from block to block.
  uint64_t warp_key(const Epoch& epoch) const;
  uint64_t stream_key(uint32_t id) const { return key_of(Component::Stream, all_[id].stream); }

 private:
  uint32_t number_of(const void* stream);
  uint32_t block_of(const Epoch& epoch) const { return epoch.thread / all_[epoch.actor].threads_per_block; }

  KeptNumbers<Actor, 256> all_;
  std::vector<std::pair<const void*, uint32_t>> streams_;  // With the sequence number of the latest actor.
};

}  // namespace cuco::vcluster
